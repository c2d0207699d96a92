/**
 * The queue of a pool: a sorted view of its Pending leases. Order: priority; then one lease per requester in turn, the
 * requester that was served longest ago first; then age. So one that asks for 500 members delays another by at most one
 * member per turn.
 */
import type { ClusterLease } from '../../api/v1alpha1/cluster-lease.ts'
import { LeasePhase } from '../../api/v1alpha1/phases.ts'

/** Tells requesters apart. */
export const requesterKey = ({ spec }: ClusterLease): string => `${spec.requester.type}\n${spec.requester.identity}`

/** Waits for a member and has not chosen one. */
export const isQueued = ({ metadata, status }: ClusterLease): boolean =>
  (status?.phase ?? LeasePhase.Pending) === LeasePhase.Pending &&
  status?.binding === undefined &&
  metadata.deletionTimestamp === undefined

interface Waiting {
  readonly lease: ClusterLease
  /** As it stands on the object: the API server writes all of them in the same form, so they compare as text. */
  readonly createdAt: string
  readonly requester: string
  /** Place among the leases of the same requester and priority, oldest first. */
  readonly turn: number
}

export function queueOrder(
  pending: readonly ClusterLease[],
  lastServed: ReadonlyMap<string, number> = new Map(),
): ClusterLease[] {
  const served = (waiting: Waiting): number => lastServed.get(waiting.requester) ?? Number.NEGATIVE_INFINITY
  const inTurn = (left: Waiting, right: Waiting): number =>
    right.lease.spec.priority - left.lease.spec.priority ||
    left.turn - right.turn ||
    compare(served(left), served(right)) ||
    byAge(left, right)
  return withTurns(pending.filter(isQueued))
    .sort(inTurn)
    .map(({ lease }) => lease)
}

function withTurns(leases: readonly ClusterLease[]): Waiting[] {
  const turns = new Map<string, number>()
  const oldestFirst = leases
    .map((lease) => ({ lease, createdAt: createdAt(lease), requester: requesterKey(lease) }))
    .sort(byAge)
  return oldestFirst.map((waiting) => {
    const key = `${waiting.lease.spec.priority}\n${waiting.requester}`
    const turn = turns.get(key) ?? 0
    turns.set(key, turn + 1)
    return { ...waiting, turn }
  })
}

type Aged = Pick<Waiting, 'lease' | 'createdAt'>

/** Times on the wire have whole seconds; of equal ages the name decides, so that every pass sees the same order. */
const byAge = (left: Aged, right: Aged): number =>
  compare(left.createdAt, right.createdAt) || compare(left.lease.metadata.name ?? '', right.lease.metadata.name ?? '')

const compare = <T extends number | string>(left: T, right: T): number => (left === right ? 0 : left < right ? -1 : 1)

const createdAt = ({ metadata }: ClusterLease): string => metadata.creationTimestamp ?? ''

/**
 * The position to write into `status.queuePosition`. Exact for the next three; further back it is written anew only when it has
 * halved (or got worse), so a queue of n leases costs n log n writes and not n squared. Never understated.
 */
export function positionToRecord(recorded: number, actual: number): number {
  const stillGood = actual > 3 && recorded >= actual && recorded < 2 * actual
  return stillGood ? recorded : actual
}
