/** The promises that hold at every step (I1-I6, I9 of the design). A violation is recorded with its number and a sentence. */
import type { ClusterInstance } from '../../api/v1alpha1/cluster-instance.ts'
import type { ClusterLease } from '../../api/v1alpha1/cluster-lease.ts'
import type { PoolStatus } from '../../api/v1alpha1/cluster-pool.ts'
import { Finalizer } from '../../api/v1alpha1/labels.ts'
import type { Plan } from '../plan.ts'
import type { PoolAction } from '../pool/action.ts'
import { bucketOf } from '../pool/member.ts'
import { resolvePoolOptions } from '../pool/resolve-options.ts'
import type { World } from './world.ts'

export interface Invariants {
  readonly violations: string[]
  readonly check: (world: World) => void
  readonly instanceChanged: (
    world: World,
    before: ClusterInstance | undefined,
    after: ClusterInstance | undefined,
  ) => void
  /** `members`: how many the pass saw. */
  readonly poolPlanned: (members: number, plan: Plan<PoolAction, PoolStatus>) => void
  readonly recyclePlanned: (world: World, action: Extract<PoolAction, { kind: 'RecycleInstance' }>) => void
  readonly ensured: (world: World, instance: ClusterInstance) => void
  readonly destroyed: (world: World, instance: ClusterInstance) => void
}

export function createInvariants(): Invariants {
  const violations: string[] = []
  const used = new Set<string>()
  const report = (holds: boolean, text: string): void => {
    if (!holds) violations.push(text)
  }
  return {
    violations,
    check: (world) => oneLeasePerInstance(world, report),
    instanceChanged(world, before, after) {
      const uid = (after ?? before)?.metadata.uid ?? ''
      const phase = after?.status?.phase
      if (phase === 'Leased') used.add(uid)
      report(phase !== 'Ready' || !used.has(uid), `I2: used member ${after?.metadata.name} became Ready again`)
      if (before === undefined) underCeiling(world, report)
      if (after === undefined)
        report(holderOf(world, uid) === undefined, `I6: leased member ${before?.metadata.name} was deleted`)
    },
    poolPlanned(members, { status }) {
      const sum =
        status.ready + status.leased + status.creating + status.recycling + status.unhealthy + status.quarantined
      report(sum === members, `I3: the buckets add up to ${sum}, there are ${members} members`)
    },
    recyclePlanned: (world, action) => aboveFloor(world, action, report),
    ensured(_world, { metadata }) {
      const protectedFirst = metadata.finalizers?.includes(Finalizer.instanceCleanup) ?? false
      report(protectedFirst, `I9: ${metadata.name} was made without a finalizer`)
    },
    destroyed(world, { metadata }) {
      report(holderOf(world, metadata.uid ?? '') === undefined, `I6: ${metadata.name} was destroyed under a live lease`)
    },
  }
}

type Report = (holds: boolean, text: string) => void

const holderOf = (world: World, instanceUid: string): ClusterLease | undefined =>
  world.leases.list().find(({ status }) => status?.phase === 'Bound' && status.binding?.instance.uid === instanceUid)

function oneLeasePerInstance(world: World, report: Report): void {
  const holders = new Map<string, string>()
  for (const { metadata, status } of world.leases.list()) {
    if (status?.phase !== 'Bound') continue
    const uid = status.binding?.instance.uid ?? ''
    report(!holders.has(uid), `I1: ${metadata.name} and ${holders.get(uid)} are bound to the same instance`)
    holders.set(uid, metadata.name ?? '')
    const instance = world.instances.list().find((candidate) => candidate.metadata.uid === uid)
    const mutual = instance?.status?.binding?.bindingId === status.binding?.bindingId
    report(
      instance === undefined || mutual,
      `I1: ${metadata.name} is bound to ${instance?.metadata.name}, which is not bound to it`,
    )
  }
}

function underCeiling(world: World, report: Report): void {
  const members = world.instances.list().length
  for (const pool of world.pools.list()) {
    const { ceiling } = resolvePoolOptions(pool.spec, 1)
    report(members <= ceiling, `I4: a create took the members to ${members}, the ceiling is ${ceiling}`)
  }
}

function aboveFloor(world: World, action: Extract<PoolAction, { kind: 'RecycleInstance' }>, report: Report): void {
  const instance = world.instances.get(action.name)
  if (instance === undefined || instance.metadata.resourceVersion !== action.resourceVersion) return
  const bucket = bucketOf(instance)
  report(bucket !== 'leased', `I6: ${action.name} is leased and was recycled for ${action.reason}`)
  if (action.reason !== 'spec_drift' || bucket !== 'ready') return
  const ready = world.instances.list().filter((other) => bucketOf(other) === 'ready').length - 1
  for (const pool of world.pools.list()) {
    const { floor, maxSurge } = resolvePoolOptions(pool.spec, 1)
    report(ready >= floor, `I5: a drift recycle took Ready to ${ready}, the floor is ${floor}`)
    const onItsWay = maxSurge > 0 && cleanCreating(world, world.options.hash(pool))
    report(ready > 0 || !onItsWay, 'I5: a drift recycle took Ready to 0 while a surge member was on its way')
  }
}

const cleanCreating = (world: World, hash: string): boolean =>
  world.instances.list().some((other) => bucketOf(other) === 'creating' && other.status?.specHash === hash)
