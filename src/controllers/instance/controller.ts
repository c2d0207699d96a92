/** The instance controller: when an instance is looked at, and what it remembers of one. */
import type { ClusterInstance } from '../../api/v1alpha1/cluster-instance.ts'
import { CLUSTER_INSTANCES } from '../../api/v1alpha1/resources.ts'
import { planInstance } from '../../core/instance/plan-instance.ts'
import { keyOf, objectKey, splitKey } from '../../kube/object-key.ts'
import { BY_NAME, BY_POOL, type ControllerDeps } from '../deps.ts'
import { type Controller, createController, type ReconcileResult } from '../engine/controller.ts'
import { withSources } from '../engine/with-sources.ts'
import { engineMetrics } from '../engine-metrics.ts'
import { createNotePublisher, type NotePublisher } from '../note-publisher.ts'
import { executeInstance, type PassResult } from './execute.ts'
import { createInstanceMemories, type InstanceMemories } from './instance-memory.ts'
import { createInstanceMetrics, type InstanceMetrics } from './instance-metrics.ts'
import { observeInstance } from './observe.ts'
import { createMemberSetup, type MemberSetup } from './setup/member-setup.ts'

/** A member goes through fewer stages than this without waiting for anything outside. */
const MAX_PASSES = 12

export function createInstanceController(deps: ControllerDeps): Controller {
  const parts: InstanceParts = {
    deps,
    memories: createInstanceMemories(deps.clock),
    notes: createNotePublisher(deps.recorder, deps.log),
    setup: createMemberSetup({ clock: deps.clock, log: deps.log }),
    metrics: createInstanceMetrics(deps),
  }
  const controller = createController({
    name: 'instance',
    concurrency: 16,
    clock: deps.clock,
    log: deps.log,
    metrics: engineMetrics(deps.metrics, 'instance'),
    reconcile: (key) => reconcile(parts, key),
  })
  return withSources(controller, () => [...sources(parts, controller), () => parts.setup.close()])
}

interface InstanceParts {
  readonly deps: ControllerDeps
  readonly memories: InstanceMemories
  readonly notes: NotePublisher
  readonly setup: MemberSetup
  readonly metrics: InstanceMetrics
}

async function reconcile(parts: InstanceParts, key: string): Promise<ReconcileResult> {
  for (let count = 0; count < MAX_PASSES; count += 1) {
    const { result, requeueAfterMs } = await pass(parts, key)
    if (result === 'gone') return {}
    if (result === 'done') return { requeueAfterMs }
  }
  parts.deps.log.warn(
    { instance: key, passes: MAX_PASSES },
    'the plan keeps finding something to do; going on in a moment',
  )
  return { requeueAfterMs: 1_000 }
}

interface PassOutcome {
  readonly result: PassResult
  readonly requeueAfterMs?: number | undefined
}

async function pass({ deps, memories, notes, setup, metrics }: InstanceParts, key: string): Promise<PassOutcome> {
  const { namespace, name } = splitKey(key)
  const cached = deps.caches.instances.get(namespace, name)
  if (cached === undefined) return { result: 'gone' }
  const instance = deps.own.instances.latest(cached)
  const memory = memories.of(instance.metadata.uid ?? '')
  if (memory.released) return { result: 'gone' }
  const observed = await observeInstance(deps, instance, memory)
  const plan = planInstance(observed, deps.clock.now())
  notes.publish(instance, plan.notes)
  const result = await executeInstance({ deps, setup, memory, observed }, plan)
  metrics.observe(instance, plan.status)
  return { result, requeueAfterMs: plan.requeueAfterMs }
}

/** An instance is looked at when it, its lease, its pool or, as its backend says, its cluster changes. */
function sources(parts: InstanceParts, controller: Controller): (() => void)[] {
  const { caches, backends } = parts.deps
  return [
    caches.instances.on(({ type, object }) => {
      if (type === 'DELETED') forget(parts, object)
      else controller.enqueue(objectKey(object))
    }),
    caches.leases.on(({ object }) => {
      const instance = object.status?.binding?.instance.name ?? object.status?.clusterName
      if (instance !== undefined) controller.enqueue(keyOf(object.metadata.namespace, instance))
    }),
    caches.pools.on(({ object, old }) => {
      // Its status changes all the time and means nothing to its members.
      if (old !== undefined && old.metadata.generation === object.metadata.generation) return
      for (const instance of caches.instances.byIndex(BY_POOL, object.metadata.name ?? '')) {
        controller.enqueue(objectKey(instance))
      }
    }),
    caches.secrets.on(({ type, object }) => {
      const owner = object.metadata.ownerReferences?.find(({ kind }) => kind === CLUSTER_INSTANCES.kind)
      if (type !== 'DELETED' || owner === undefined) return
      parts.memories.kubeconfigLost(owner.uid)
      controller.enqueue(keyOf(object.metadata.namespace, owner.name))
    }),
    ...[...backends.values()].map((backend) => backend.subscribe((name) => memberChanged(parts, controller, name))),
  ]
}

function memberChanged({ deps, memories }: InstanceParts, controller: Controller, name: string): void {
  for (const instance of deps.caches.instances.byIndex(BY_NAME, name)) {
    memories.memberChanged(instance.metadata.uid ?? '')
    controller.enqueue(objectKey(instance))
  }
}

function forget({ deps, memories, setup, notes }: InstanceParts, instance: ClusterInstance): void {
  const uid = instance.metadata.uid ?? ''
  memories.forget(uid)
  setup.forget(uid)
  deps.probes.delete(uid)
  notes.forget(objectKey(instance))
}
