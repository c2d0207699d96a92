/** One instance as the pool planner sees it: in exactly one bucket, so that the buckets always add up. */
import { parseTimestamp } from '../../api/timestamp.ts'
import type { ClusterInstance } from '../../api/v1alpha1/cluster-instance.ts'
import { ConditionType, findCondition } from '../../api/v1alpha1/conditions.ts'
import { instanceIndex } from '../../api/v1alpha1/labels.ts'
import { Reason } from '../../api/v1alpha1/reasons.ts'
import { driftOf } from '../fleet/drift.ts'
import { field } from '../optional-field.ts'
import type { SpecHashState } from './observed.ts'

export type Bucket = 'ready' | 'leased' | 'creating' | 'recycling' | 'unhealthy' | 'quarantined'

export interface Member {
  readonly name: string
  readonly uid: string
  readonly resourceVersion: string
  /** The n of `pool-<pool>-<n>`; 0 when the name has another form. */
  readonly index: number
  readonly bucket: Bucket
  /** Made from another template than the present one; false while the present hash is not known. */
  readonly drifted: boolean
  /** To be stamped anew: not stamped yet, or by another algorithm. Never judged by its stamp. */
  readonly needsStamp: boolean
  readonly specHash?: string
  readonly createdAt: number
  /** Since when it is in its phase. */
  readonly since: number
  /** When it first became Ready. */
  readonly readySince?: number
  /** Since when nobody has used it. */
  readonly idleSince: number
  /** The host has no room for it: held, neither stuck nor failed. */
  readonly unschedulable: boolean
  readonly failed: boolean
  /** Why it is being recycled: reason of its Ready condition. */
  readonly recycleCause?: string
  readonly activeBootstrap?: string
  readonly message?: string
}

/**
 * A pool of hundreds is looked at many times a second, and of its members one or two have changed. What is frozen is the same
 * for ever, so what was made of it is kept for as long as it is there.
 */
const kept = new WeakMap<ClusterInstance, { readonly member: Member; readonly specHash: SpecHashState }>()

export function toMember(instance: ClusterInstance, specHash: SpecHashState): Member {
  const known = kept.get(instance)
  if (known !== undefined && isSameHash(known.specHash, specHash)) return known.member
  const member = makeMember(instance, specHash)
  if (Object.isFrozen(instance)) kept.set(instance, { member, specHash })
  return member
}

function isSameHash(left: SpecHashState, right: SpecHashState): boolean {
  if (left.state !== 'known' || right.state !== 'known') return left.state === right.state
  return left.hash === right.hash && left.version === right.version
}

function makeMember(instance: ClusterInstance, specHash: SpecHashState): Member {
  const { metadata, status } = instance
  const createdAt = moment(metadata.creationTimestamp) ?? 0
  const since = moment(status?.stateSince) ?? createdAt
  const readySince = moment(status?.readySince)
  return {
    name: metadata.name ?? '',
    uid: metadata.uid ?? '',
    resourceVersion: metadata.resourceVersion ?? '',
    index: instanceIndex(instance.spec.poolRef?.name ?? '', metadata.name ?? '') ?? 0,
    bucket: bucketOf(instance),
    ...stampOf(instance, specHash),
    createdAt,
    since,
    ...(readySince === undefined ? {} : { readySince }),
    idleSince: moment(status?.idleSince) ?? since,
    ...detailsOf(instance),
  }
}

/** The rule of the buckets, first match. A reference to a lease counts as leased even when the phase was not written yet. */
export function bucketOf(instance: ClusterInstance): Bucket {
  const { metadata, status } = instance
  const phase = status?.phase ?? 'Creating'
  if (phase === 'Quarantined') return 'quarantined'
  if (phase === 'Recycling') return 'recycling'
  if (phase === 'Leased' || status?.leaseRef || status?.binding) return 'leased'
  if (metadata.deletionTimestamp !== undefined) return 'recycling'
  if (phase === 'Failed' || phase === 'Unhealthy') return 'unhealthy'
  return phase === 'Ready' ? 'ready' : 'creating'
}

type Details = Pick<Member, 'unschedulable' | 'failed' | 'recycleCause' | 'activeBootstrap' | 'message'>

function detailsOf({ status }: ClusterInstance): Details {
  const provisioned = findCondition(status?.conditions, ConditionType.Provisioned)
  const ready = findCondition(status?.conditions, ConditionType.Ready)
  return {
    unschedulable: provisioned?.status === 'False' && provisioned.reason === Reason.Unschedulable,
    failed: status?.phase === 'Failed',
    ...(ready?.status === 'False' ? { recycleCause: ready.reason } : {}),
    ...(status?.activeBootstrap ? { activeBootstrap: status.activeBootstrap } : {}),
    ...(status?.message ? { message: status.message } : {}),
  }
}

type Stamp = Pick<Member, 'drifted' | 'needsStamp' | 'specHash'>

function stampOf({ status }: ClusterInstance, current: SpecHashState): Stamp {
  const { specHash, specHashVersion } = status ?? {}
  const stamp = field('specHash', specHash)
  if (current.state !== 'known') return { drifted: false, needsStamp: false, ...stamp }
  const drift = driftOf({ ...field('hash', specHash), ...field('version', specHashVersion) }, current)
  // Unstamped: the operator died between create and stamp. Nothing is provisioned before the stamp, so one that is still
  // Creating becomes whatever it is stamped as; of a usable one nobody knows the template, so it is replaced.
  const creating = (status?.phase ?? 'Creating') === 'Creating'
  return {
    drifted: drift === 'drifted' || (drift === 'unstamped' && !creating),
    needsStamp: drift === 'incomparable' || (drift === 'unstamped' && creating),
    ...stamp,
  }
}

const moment = (text: string | null | undefined): number | undefined => (text ? parseTimestamp(text) : undefined)
