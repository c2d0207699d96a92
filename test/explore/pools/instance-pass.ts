/** A pass of the instance controller: the actions, whose answers become evidence, then the status, fenced with what was planned. */
import type { ClusterInstance } from '../../../src/api/v1alpha1/cluster-instance.ts'
import { Finalizer } from '../../../src/api/v1alpha1/labels.ts'
import type { InstanceAction } from '../../../src/core/instance/action.ts'
import { instanceStatusChanged } from '../../../src/core/instance/instance-status.ts'
import { leaseHolds } from '../../../src/core/instance/lease-holds.ts'
import type { Evidence, LeaseOfInstance, PoolOfInstance } from '../../../src/core/instance/observed.ts'
import { planInstance } from '../../../src/core/instance/plan-instance.ts'
import { foldProbe } from '../../../src/core/instance/probe-schedule.ts'
import { assertNever } from '../../../src/core/plan.ts'
import { destroyClusters, ensureCluster, probeCluster } from './clusters.ts'
import { encodeInstanceStatus, momentOf } from './encode-status.ts'
import { ensuredBehindFinalizer } from './invariants.ts'
import type { Op, Pass } from './pass.ts'
import { blame, named, remember, viewed, type World, withEvidence } from './world.ts'
import { deleteInstance, isHeld, updateInstance } from './writes.ts'

interface Inputs {
  readonly now: number
  readonly pool: PoolOfInstance
  readonly lease: LeaseOfInstance
  readonly evidence: Evidence | undefined
  readonly published: boolean
}

/** Most steps change one object: the pass over any other is the same as before. */
const planned = new WeakMap<ClusterInstance, { inputs: Inputs; pass: Pass }>()

export function instancePass(world: World, name: string): Pass | undefined {
  const instance = named(viewed(world).instances, name)
  const uid = instance?.metadata.uid ?? ''
  if (instance === undefined || world.memory.gone.includes(uid)) return undefined
  const inputs: Inputs = {
    now: world.now,
    pool: poolOf(world, instance),
    lease: leaseOf(world, instance),
    evidence: world.memory.evidence.get(uid),
    published: world.kubeconfigs.includes(uid),
  }
  const before = planned.get(instance)
  if (before !== undefined && sameInputs(before.inputs, inputs)) return { ...before.pass, observedIn: world }
  const pass = planOf(world, instance, inputs)
  planned.set(instance, { inputs, pass })
  return pass
}

function sameInputs(left: Inputs, right: Inputs): boolean {
  const object = (of: LeaseOfInstance) => (of.state === 'found' ? of.lease : of.state)
  // Its status changes all the time and means nothing to its members.
  const pool = (of: PoolOfInstance) => (of.state === 'found' ? of.pool.spec : of.state)
  return (
    left.now === right.now &&
    left.evidence === right.evidence &&
    left.published === right.published &&
    object(left.lease) === object(right.lease) &&
    pool(left.pool) === pool(right.pool)
  )
}

function planOf(world: World, instance: ClusterInstance, inputs: Inputs): Pass {
  const { pool, lease, evidence = {}, published } = inputs
  const { name = '', creationTimestamp = '' } = instance.metadata
  const plan = planInstance(
    {
      instance,
      pool,
      lease,
      evidence: { ...evidence, kubeconfigPublished: evidence.kubeconfigPublished ?? published },
      watchingSince: momentOf(creationTimestamp) ?? 0,
    },
    world.now,
  )
  const actions = plan.actions.map((action) => actionOp(instance, action))
  const status = instanceStatusChanged(instance, plan.status) ? [statusOp(instance, plan.status, world.now)] : []
  const last = plan.actions.some(({ kind }) => kind === 'RemoveFinalizer')
  return {
    controller: 'instance',
    name,
    ops: last ? actions : [...actions, ...status],
    next: 0,
    observedIn: world,
    requeueAfterMs: plan.requeueAfterMs,
  }
}

function leaseOf(world: World, instance: ClusterInstance): LeaseOfInstance {
  const ref = instance.status?.leaseRef ?? instance.status?.binding?.lease
  if (!ref) return { state: 'none' }
  const known = named(viewed(world).leases, ref.name)
  const isOver = known?.metadata.uid === ref.uid && ['Released', 'Expired'].includes(known?.status?.phase ?? '')
  if (known !== undefined && (leaseHolds(instance, known) || isOver)) return { state: 'found', lease: known }
  const lease = named(world.leases, ref.name)
  return lease?.metadata.uid === ref.uid && lease !== undefined ? { state: 'found', lease } : { state: 'absent' }
}

function poolOf(world: World, { spec }: ClusterInstance): PoolOfInstance {
  const cached = viewed(world).pool
  if (cached !== undefined) return { state: 'found', pool: cached }
  const { pool } = world
  return pool?.metadata.uid === spec.poolRef?.uid && pool !== undefined ? { state: 'found', pool } : { state: 'absent' }
}

function statusOp(instance: ClusterInstance, status: NonNullable<ClusterInstance['status']>, now: number): Op {
  const { name = '', uid, resourceVersion } = instance.metadata
  const fence = { uid, resourceVersion }
  return {
    label: `status ${status.phase}`,
    writes: true,
    key: `S${encodeInstanceStatus(status, now)}`,
    fence: { kind: 'instances', name, ...fence },
    run(world, writer) {
      const written = updateInstance(world, writer, { name, fence }, (current) => ({ ...current, status }))
      return { world: written.world, go: written.landed }
    },
  }
}

function actionOp(instance: ClusterInstance, action: InstanceAction): Op {
  const { name = '', uid = '', resourceVersion } = instance.metadata
  const base = { label: action.kind, key: action.kind, writes: true }
  const think = (change: (world: World) => World): Op => ({
    ...base,
    writes: false,
    run: (world) => ({ world: change(world), go: true }),
  })
  const finalizers = (list: string[]) => (current: ClusterInstance) => ({
    ...current,
    metadata: { ...current.metadata, finalizers: list },
  })
  const target = { name, fence: { uid, resourceVersion } }
  switch (action.kind) {
    case 'AddFinalizer':
      return {
        ...base,
        run: (world, writer) => ({
          world: updateInstance(world, writer, target, finalizers([Finalizer.instanceCleanup])).world,
          go: true,
        }),
      }
    case 'RemoveFinalizer':
      return {
        ...base,
        run(world, writer) {
          const { world: next, landed } = updateInstance(world, writer, target, finalizers([]))
          const gone = landed && writer === 'mine' ? [...next.memory.gone, uid] : next.memory.gone
          return { world: remember(next, { gone }), go: landed }
        },
      }
    case 'DeleteInstance':
      return {
        ...base,
        fence: { kind: 'instances', name, uid, resourceVersion },
        run(world, writer) {
          const { world: next, landed } = deleteInstance(world, writer, target)
          return { world: next, go: landed }
        },
      }
    case 'EnsureMember':
      return think((world) => ensureCluster(ensuredBehindFinalizer(world, name), instance))
    case 'PublishKubeconfig':
      return think((world) => {
        const kubeconfigs = world.kubeconfigs.includes(uid) ? world.kubeconfigs : [...world.kubeconfigs, uid]
        return withEvidence({ ...world, kubeconfigs }, uid, (before) => ({ ...before, kubeconfigPublished: true }))
      })
    case 'CheckGates':
      return think((world) => withEvidence(world, uid, (e) => ({ ...e, gates: { passed: true, at: world.now } })))
    case 'ProbeMember':
      return think((world) => {
        const failures = world.memory.evidence.get(uid)?.probe?.failuresInARow ?? instance.status?.healthFailures ?? 0
        const answer = probeCluster(world, uid)
        const probes = new Map(world.memory.probes).set(uid, { healthy: answer.healthy, at: world.now })
        const probed = remember(world, { probes })
        return withEvidence(probed, uid, (e) => ({ ...e, probe: foldProbe(failures, answer, world.now) }))
      })
    case 'DestroyMember':
      return think((world) =>
        destroyClusters(blame(world, !isHeld(world, uid), `I6: ${name} was destroyed under a live lease`), instance),
      )
    default:
      return assertNever(action)
  }
}
