/** The instance controller: when an instance is looked at, and what it remembers of one. */
import type { ClusterInstance } from '../../api/v1alpha1/cluster-instance.ts'
import { planInstance } from '../../core/instance/plan-instance.ts'
import { keyOf, objectKey, splitKey } from '../../kube/object-key.ts'
import { BY_POOL, type ControllerDeps } from '../deps.ts'
import { type Controller, createController, type ReconcileResult } from '../engine/controller.ts'
import { engineMetrics } from '../engine-metrics.ts'
import { createNotePublisher } from '../note-publisher.ts'
import { executeInstance } from './execute.ts'
import { createInstanceMetrics } from './instance-metrics.ts'
import { type InstanceMemory, observeInstance } from './observe.ts'
import { createMemberSetup } from './setup/member-setup.ts'

/** A member goes through fewer stages than this without waiting for anything outside. */
const MAX_PASSES = 12

export function createInstanceController(deps: ControllerDeps): Controller {
  const memories = new Map<string, InstanceMemory>()
  const notes = createNotePublisher(deps.recorder, deps.log)
  const setup = createMemberSetup({ clock: deps.clock, log: deps.log })
  const metrics = createInstanceMetrics(deps)
  const controller = createController({
    name: 'instance',
    concurrency: 16,
    clock: deps.clock,
    log: deps.log,
    metrics: engineMetrics(deps.metrics, 'instance'),
    reconcile: (key) => reconcile(key),
  })

  function memoryOf(uid: string): InstanceMemory {
    const memory = memories.get(uid) ?? { evidence: {}, watchingSince: deps.clock.now() }
    memories.set(uid, memory)
    return memory
  }

  async function reconcile(key: string): Promise<ReconcileResult> {
    const { namespace, name } = splitKey(key)
    for (let pass = 0; pass < MAX_PASSES; pass += 1) {
      const cached = deps.caches.instances.get(namespace, name)
      if (cached === undefined) return {}
      const instance = deps.own.instances.latest(cached)
      const memory = memoryOf(instance.metadata.uid ?? '')
      const observed = await observeInstance(deps, instance, memory)
      const plan = planInstance(observed, deps.clock.now())
      notes.publish(instance, plan.notes)
      const result = await executeInstance({ deps, setup, memory, observed }, plan)
      metrics.observe(instance, plan.status)
      if (result === 'gone') return {}
      if (result === 'done') return { requeueAfterMs: plan.requeueAfterMs }
    }
    deps.log.warn({ instance: key, passes: MAX_PASSES }, 'the plan keeps finding something to do; going on in a moment')
    return { requeueAfterMs: 1_000 }
  }

  function forget(instance: ClusterInstance): void {
    const uid = instance.metadata.uid ?? ''
    memories.delete(uid)
    setup.forget(uid)
    deps.probes.delete(uid)
    notes.forget(objectKey(instance))
  }

  /** The backend says that a member may have changed: what it answered before is worth nothing. */
  function memberChanged(name: string): void {
    for (const instance of deps.caches.instances.list()) {
      if (instance.metadata.name !== name) continue
      const memory = memories.get(instance.metadata.uid ?? '')
      if (memory !== undefined) {
        const { member: _member, destroy: _destroy, ...evidence } = memory.evidence
        memory.evidence = evidence
      }
      controller.enqueue(objectKey(instance))
    }
  }

  watch(deps, controller, forget)
  return {
    ...controller,
    run: async (signal) => {
      const unsubscribe = [...deps.backends.values()].map((backend) => backend.subscribe(memberChanged))
      try {
        await controller.run(signal)
      } finally {
        for (const stop of unsubscribe) stop()
        setup.close()
      }
    },
  }
}

/** An instance is looked at when it, its lease or its pool changes. */
function watch({ caches }: ControllerDeps, controller: Controller, forget: (instance: ClusterInstance) => void): void {
  caches.instances.on(({ type, object }) => {
    if (type === 'DELETED') forget(object)
    else controller.enqueue(objectKey(object))
  })
  caches.leases.on(({ object }) => {
    const instance = object.status?.binding?.instance.name ?? object.status?.clusterName
    if (instance !== undefined) controller.enqueue(keyOf(object.metadata.namespace, instance))
  })
  caches.pools.on(({ object, old }) => {
    // Its status changes all the time and means nothing to its members.
    if (old !== undefined && old.metadata.generation === object.metadata.generation) return
    for (const instance of caches.instances.byIndex(BY_POOL, object.metadata.name ?? ''))
      controller.enqueue(objectKey(instance))
  })
}
