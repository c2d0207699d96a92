/** One pass over a pool: what the pool controller does, on the store of the simulated world. */

import type { ClusterPool } from '../../api/v1alpha1/cluster-pool.ts'
import { Finalizer } from '../../api/v1alpha1/labels.ts'
import { createdStatus, recyclingStatus } from '../instance/instance-status.ts'
import { assertNever } from '../plan.ts'
import type { PoolAction } from '../pool/action.ts'
import { planPool } from '../pool/plan-pool.ts'
import { renderInstance } from '../pool/render-instance.ts'
import { SPEC_HASH_VERSION } from '../pool/spec-hash.ts'
import { sameStatus } from '../status-equality.ts'
import { cached, type World } from './world.ts'

/** Answers when to look again. */
export function poolPass(world: World, name: string): number | undefined {
  const { pools, instances, leases } = cached(world)
  const pool = pools.get(name)
  if (pool === undefined) return undefined
  const plan = planPool(
    {
      pool,
      instances: [...instances.values()],
      leases: [...leases.values()],
      specHash: { state: 'known', hash: world.options.hash(pool), version: SPEC_HASH_VERSION },
      capabilities: world.options.capabilities,
      expectationsMet: expectationsMet(world),
    },
    world.now,
  )
  world.invariants.poolPlanned(instances.size, plan)
  world.notes.push(...plan.notes)
  // IMPORTANT: the status first. It holds the failure records and the highest index.
  if (!sameStatus(pool.status, plan.status)) {
    const fence = { resourceVersion: pool.metadata.resourceVersion ?? '' }
    if (!world.pools.update(name, fence, (current) => ({ ...current, status: plan.status }))) return world.now
  }
  for (const action of plan.actions) execute(world, pool, action)
  return plan.requeueAfterMs === undefined ? undefined : world.now + plan.requeueAfterMs
}

/** Whether the caches show every own create and recycle; those that they show are forgotten. */
function expectationsMet({ expected, ...world }: World): boolean {
  const { instances } = cached({ expected, ...world })
  for (const [key, wanted] of expected) {
    const [name = '', uid] = key.split('/')
    const seen = instances.get(name)
    const shown = seen?.metadata.uid === uid && (wanted === 'created' || seen?.status?.phase === 'Recycling')
    // Gone altogether, from the caches and in truth: seen, and more.
    if (shown || (seen === undefined && world.instances.get(name) === undefined)) expected.delete(key)
  }
  return expected.size === 0
}

function execute(world: World, pool: ClusterPool, action: PoolAction): void {
  world.acts += 1
  const name = pool.metadata.name ?? ''
  switch (action.kind) {
    case 'AddFinalizer':
      setFinalizers(world, name, [Finalizer.poolCleanup])
      return
    case 'RemoveFinalizer':
      setFinalizers(world, name, [])
      return
    case 'CreateInstance':
      create(world, pool, action)
      return
    case 'StampInstance':
      stamp(world, pool, action)
      return
    case 'RecycleInstance':
      recycle(world, action)
      return
    default:
      assertNever(action)
  }
}

function recycle(world: World, action: Extract<PoolAction, { kind: 'RecycleInstance' }>): void {
  world.invariants.recyclePlanned(world, action)
  const recycled = world.instances.update(action.name, action, (instance) => ({
    ...instance,
    status: recyclingStatus(instance, { reason: action.cause, message: action.message }, world.now),
  }))
  if (recycled) world.expected.set(`${action.name}/${action.uid}`, 'Recycling')
}

function setFinalizers(world: World, name: string, finalizers: string[]): void {
  world.pools.update(name, {}, (pool) => ({ ...pool, metadata: { ...pool.metadata, finalizers } }))
}

function create(world: World, pool: ClusterPool, action: Extract<PoolAction, { kind: 'CreateInstance' }>): void {
  const created = world.instances.create(renderInstance(pool, action.name))
  if (!created) return
  const fence = fenceOf(world, action.name)
  world.expected.set(`${action.name}/${fence.uid}`, 'created')
  stamp(world, pool, { ...action, kind: 'StampInstance', ...fence })
}

function fenceOf(world: World, name: string): { uid: string; resourceVersion: string } {
  const { uid = '', resourceVersion = '' } = world.instances.get(name)?.metadata ?? {}
  return { uid, resourceVersion }
}

function stamp(world: World, pool: ClusterPool, action: Extract<PoolAction, { kind: 'StampInstance' }>): void {
  const { backend, cluster } = pool.spec
  const createdWith = {
    operatorVersion: 'simulated',
    backendType: backend.type,
    configDigest: 'd'.repeat(64),
    backend,
    cluster,
  }
  world.instances.update(action.name, action, (instance) => ({
    ...instance,
    status: createdStatus(instance, { ...action, createdWith }, world.now),
  }))
}
