/** A pass of the pool controller: lost creates again, the status, then the actions, one after the other. */
import type { ClusterPool } from '../../../src/api/v1alpha1/cluster-pool.ts'
import { Finalizer } from '../../../src/api/v1alpha1/labels.ts'
import { Reason } from '../../../src/api/v1alpha1/reasons.ts'
import { createdStatus, recyclingStatus } from '../../../src/core/instance/instance-status.ts'
import { assertNever } from '../../../src/core/plan.ts'
import type { PoolAction } from '../../../src/core/pool/action.ts'
import type { PoolObserved } from '../../../src/core/pool/observed.ts'
import { planPool } from '../../../src/core/pool/plan-pool.ts'
import { renderInstance } from '../../../src/core/pool/render-instance.ts'
import { SPEC_HASH_VERSION } from '../../../src/core/pool/spec-hash.ts'
import { type PoolWrite, writeOrder } from '../../../src/core/pool/write-order.ts'
import { sameStatus } from '../../../src/core/status-equality.ts'
import { CAPABILITIES, DIGEST, POOL_NAME } from '../../../src/core/testing/builders.ts'
import { encodePoolStatus } from './encode-status.ts'
import { createKeepsCeiling, driftKeepsFloor, failureOnRecord, numberOnRecord } from './invariants.ts'
import type { Op, Pass } from './pass.ts'
import { planViolations } from './pool-rules.ts'
import { blame, type Expected, remember, viewed, type World } from './world.ts'
import { createInstance, readInstances, updateInstance, updatePool } from './writes.ts'

/** The template hash: the version of the cluster is all that varies. */
export const hashOf = ({ spec }: ClusterPool): string => spec.cluster.version.padEnd(16, '0').slice(0, 16)

export function observePool(world: World): PoolObserved | undefined {
  const { pool, instances, leases } = viewed(world)
  if (pool === undefined) return undefined
  return {
    pool,
    instances,
    leases,
    specHash: { state: 'known', hash: hashOf(pool), version: SPEC_HASH_VERSION },
    capabilities: CAPABILITIES,
    expectationsMet: pending(world).length === 0,
  }
}

export function poolPass(world: World): Pass | undefined {
  const waiting = pending(world)
  const settled = waiting.length === world.memory.expected.length ? world : remember(world, { expected: waiting })
  const observed = observePool(settled)
  if (observed === undefined) return undefined
  const { now } = settled
  const before = planned.get(observed.pool)
  if (before !== undefined && isSame(before, settled, observed)) {
    return { ...before.pass, observedIn: blameAll(settled, before.wrong) }
  }
  const plan = planPool(observed, now)
  const wrong = planViolations(observed, plan, now)
  const context = { observed, now }
  const pass: Pass = {
    controller: 'pool',
    name: POOL_NAME,
    ops: [
      ...repeats(settled, context),
      ...writeOrder(plan).flatMap((step) => step.flatMap((write) => opsOf(context, write))),
    ],
    next: 0,
    observedIn: blameAll(settled, wrong),
    requeueAfterMs: plan.requeueAfterMs,
  }
  planned.set(observed.pool, { observed, now, expected: settled.memory.expected, pass, wrong })
  return pass
}

interface Planned {
  readonly observed: PoolObserved
  readonly now: number
  readonly expected: readonly Expected[]
  readonly pass: Pass
  readonly wrong: readonly string[]
}

const planned = new WeakMap<ClusterPool, Planned>()

const isSame = (before: Planned, world: World, { instances, leases }: PoolObserved): boolean =>
  before.now === world.now &&
  before.expected === world.memory.expected &&
  before.observed.instances === instances &&
  before.observed.leases === leases

const blameAll = (world: World, wrong: readonly string[]): World =>
  wrong.reduce((next, message) => blame(next, false, message), world)

/** Own creates that the view does not show yet. */
function pending(world: World): readonly Expected[] {
  const { expected, lag } = world.memory
  if (expected.length === 0) return expected
  const { instances } = viewed(world)
  const position = lag?.kind === 'instances' ? lag.at : world.serial
  return expected.filter(({ name, uid, version }) => {
    const seen = instances.find(({ metadata }) => metadata.name === name)
    const shown = seen !== undefined && (uid === undefined || seen.metadata.uid === uid)
    return !shown && !(version !== undefined && position >= version)
  })
}

interface Context {
  readonly observed: PoolObserved
  readonly now: number
}

function statusOps({ observed, now }: Context, status: NonNullable<ClusterPool['status']>): Op[] {
  const { pool } = observed
  if (sameStatus(pool.status ?? {}, status)) return []
  const { uid, resourceVersion } = pool.metadata
  const fence = { uid, resourceVersion }
  return [
    {
      label: `status ${status.phase}`,
      writes: true,
      key: `S${encodePoolStatus(status, now)}`,
      fence: { kind: 'pool', name: POOL_NAME, ...fence },
      run(world, writer) {
        const { world: next, landed } = updatePool(world, writer, fence, (current) => ({ ...current, status }))
        return { world: next, go: landed }
      },
    },
  ]
}

function repeats(world: World, context: Context): Op[] {
  if (context.observed.pool.metadata.deletionTimestamp !== undefined) return []
  const lost = world.memory.expected.filter(({ uid }) => uid === undefined)
  const { specHash } = context.observed
  if (specHash.state !== 'known') return []
  const { hash, version } = specHash
  return lost.flatMap(({ name }) =>
    createOps(context, { kind: 'CreateInstance', name, index: 0, specHash: hash, specHashVersion: version }),
  )
}

function opsOf(context: Context, action: PoolWrite): Op[] {
  switch (action.kind) {
    case 'WriteStatus':
      return statusOps(context, action.status)
    case 'AddFinalizer':
      return [finalizerOp([Finalizer.poolCleanup])]
    case 'RemoveFinalizer':
      return [finalizerOp([])]
    case 'CreateInstance':
      return createOps(context, action)
    case 'StampInstance':
      return [stampOp(context, action, () => action)]
    case 'RecycleInstance':
      return [recycleOp(context, action)]
    default:
      return assertNever(action)
  }
}

const finalizerOp = (finalizers: string[]): Op => ({
  label: finalizers.length > 0 ? 'add finalizer' : 'remove finalizer',
  writes: true,
  key: `F${finalizers.length}`,
  run(world, writer) {
    const change = (pool: ClusterPool) => ({ ...pool, metadata: { ...pool.metadata, finalizers } })
    return { world: updatePool(world, writer, {}, change).world, go: true }
  },
})

type Create = Extract<PoolAction, { kind: 'CreateInstance' }>
type Stamp = Extract<PoolAction, { kind: 'StampInstance' }>
type Recycle = Extract<PoolAction, { kind: 'RecycleInstance' }>

function createOps(context: Context, action: Create): Op[] {
  const { pool } = context.observed
  const create: Op = {
    label: `create ${action.name}`,
    writes: true,
    key: 'C',
    run(world, writer) {
      const { world: next, landed } = createInstance(world, renderInstance(pool, action.name))
      const before = next.memory.expected.filter(({ name }) => name !== action.name)
      if (writer === 'lost')
        return { world: remember(next, { expected: [...before, { name: action.name }] }), go: false }
      if (!landed)
        return { world: remember(next, { expected: [...before, { name: action.name }] }), go: true, version: '' }
      const made = next.instances.at(-1)
      const { uid = '', resourceVersion = '' } = made?.metadata ?? {}
      const expected = [...before, { name: action.name, uid, version: Number(resourceVersion) }]
      return {
        world: createIsRight(remember(next, { expected }), pool, action.index),
        go: true,
        version: resourceVersion,
      }
    },
  }
  const stamp = stampOp(context, action, (version) => (version ? { resourceVersion: version } : undefined))
  return [create, stamp]
}

function stampOp(
  { observed, now }: Context,
  action: Create | Stamp,
  fenceOf: (version: string | undefined) => { uid?: string; resourceVersion: string } | undefined,
): Op {
  const { backend, cluster } = observed.pool.spec
  const createdWith = {
    operatorVersion: 'explored',
    backendType: backend.type,
    configDigest: DIGEST,
    backend,
    cluster,
  }
  return {
    label: `stamp ${action.name}`,
    writes: true,
    key: `T${action.specHash.slice(0, 4)}`,
    run(world, writer, version) {
      const fence = fenceOf(version)
      // Made by an earlier pass: the pass that sees it stamps it.
      if (fence === undefined) return { world, go: true }
      const facts = { specHash: action.specHash, specHashVersion: action.specHashVersion, createdWith }
      const written = updateInstance(world, writer, { name: action.name, fence }, (instance) => ({
        ...instance,
        status: createdStatus(instance, facts, now),
      }))
      return { world: written.world, go: true }
    },
  }
}

function recycleOp({ observed, now }: Context, action: Recycle): Op {
  const { name, uid, resourceVersion } = action
  const instance = observed.instances.find(
    ({ metadata }) => metadata.uid === uid && metadata.resourceVersion === resourceVersion,
  )
  return {
    label: `recycle ${name} (${action.cause})`,
    writes: true,
    key: `R${action.cause}`,
    fence: { kind: 'instances', name, uid, resourceVersion },
    run(world, writer) {
      if (instance === undefined) return { world, go: true }
      const { world: looked, planned } = lookAgain(world, action, now)
      if (!planned) return { world: looked, go: true }
      const cause = { reason: action.cause, message: action.message }
      const status = recyclingStatus(instance, cause, now)
      const target = { name, fence: { uid, resourceVersion } }
      const { world: next, landed } = updateInstance(looked, writer, target, (current) => ({ ...current, status }))
      return { world: landed ? recycleIsRight(next, looked, action, observed.pool) : next, go: true }
    },
  }
}

const createIsRight = (world: World, pool: ClusterPool, index: number): World =>
  numberOnRecord(createKeepsCeiling(world, pool), index)

/** `before` and `world`: just before and after the write landed. */
const recycleIsRight = (world: World, before: World, action: Recycle, pool: ClusterPool): World =>
  failureOnRecord(driftKeepsFloor(world, before, action, pool), before, action, pool)

/** The controller looks once more just before the act; before a drift recycle it lists the members. */
function lookAgain(world: World, action: Recycle, now: number): { world: World; planned: boolean } {
  const present = observePool(world)
  if (present === undefined) return { world, planned: false }
  const counts = action.cause === Reason.DriftedReady
  const looked = counts ? readInstances(world) : world
  const observed = counts ? { ...present, instances: world.instances } : present
  const planned = planPool(observed, now).actions.some(
    (again) => again.kind === 'RecycleInstance' && again.uid === action.uid && again.cause === action.cause,
  )
  return { world: looked, planned }
}
