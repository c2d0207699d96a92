/** The controller of runs over nodes: when an operation is looked at, and one pass over it. */

import { Finalizer } from '../../api/v1alpha1/labels.ts'
import type { NodeOperation } from '../../api/v1alpha1/node-operation.ts'
import { OperationPhase } from '../../api/v1alpha1/node-phases.ts'
import { NodeReason } from '../../api/v1alpha1/node-reasons.ts'
import { NODE_OPERATIONS } from '../../api/v1alpha1/resources.ts'
import type { NodeAction } from '../../core/nodes/action.ts'
import type { NodesObserved } from '../../core/nodes/model.ts'
import { hasEnded, operationStatus } from '../../core/nodes/operation-status.ts'
import { type NodeOperationPlan, planNodeOperation } from '../../core/nodes/plan-node-operation.ts'
import { note } from '../../core/nodes/step.ts'
import { earliest } from '../../core/requeue.ts'
import { removeFinalizer } from '../../kube/finalizers.ts'
import { objectKey, splitKey } from '../../kube/object-key.ts'
import { isProviderError } from '../../providers/provider.ts'
import { BY_CLUSTER, type NodeDeps } from '../cluster/deps.ts'
import { createShowPace } from '../cluster/show-pace.ts'
import { type Controller, createController, type ReconcileResult } from '../engine/controller.ts'
import { enqueueOnChange } from '../engine/sources.ts'
import { withSources } from '../engine/with-sources.ts'
import { createNotePublisher, recordEvent } from '../note-publisher.ts'
import { createDrains } from './drains.ts'
import { type Executor, executeOperation, writeOperationStatus } from './execute.ts'
import { recordNodeEvents } from './node-events.ts'
import { cachedSubject, type OperationView, observeOperation } from './observe.ts'
import { createPreviews } from './preview.ts'

/** Changes of nodes and pods come in bursts: one look for all of so long. */
const GATHER_MS = 50
/** While a machine is on its way nobody tells of it: so often it is asked for. */
const MACHINE_POLL_MS = 1_000
/** Steps are shown at most so often, so that a node of a large run costs few writes. */
const SHOW_MS = 2_000
const AT_ONCE_MS = 10

export function createOperationController(deps: NodeDeps): Controller {
  const drains = createDrains()
  const executor = { deps, drains }
  const previews = createPreviews(deps)
  const notes = createNotePublisher(deps.recorder, deps.log)
  const pace = createShowPace(deps.clock, SHOW_MS)
  const controller = createController({
    name: 'nodeoperation',
    concurrency: 4,
    clock: deps.clock,
    log: deps.log,
    metrics: deps.metrics('nodeoperation'),
    reconcile: (key) => reconcile(key),
  })

  async function reconcile(key: string): Promise<ReconcileResult> {
    const { operation, cluster } = cachedSubject(deps, key)
    if (operation === undefined) {
      notes.forget(key)
      pace.forget(key)
      return {}
    }
    if (cluster === undefined) return await withoutCluster(executor, operation)
    const view = await observeOperation(deps, drains, { operation, cluster }, false)
    const first = planNodeOperation(view.observed, deps.clock.now())
    const fresh = notes.publish(operation, [...first.notes, ...(await previews.notesFor(view))])
    recordNodeEvents({ operation, recorder: deps.recorder, session: view.session }, fresh)
    const plan = await executeOperation(executor, view, first).catch(waitForProvider(first))
    if (plan === undefined) return { requeueAfterMs: AT_ONCE_MS }
    deps.meter.planned(operation, plan.status)
    if (hasEnded({ ...operation, status: plan.status })) forget(operation)
    const showIn = await show(key, operation, plan)
    return { requeueAfterMs: earliest(nextLook(view, first, plan), showIn) }
  }

  function forget({ metadata }: NodeOperation): void {
    drains.forget(metadata.uid ?? '')
    previews.forget(metadata.uid ?? '')
  }

  /** Throttled or out of reach: the provider is asked again when it said, or soon. */
  function waitForProvider(plan: NodeOperationPlan): (error: unknown) => NodeOperationPlan {
    return (error) => {
      if (!isProviderError(error, 'Throttled', 'Conflict', 'InsufficientCapacity')) throw error
      deps.log.warn({ code: error.code, err: error }, 'the provider did not do it now: trying again')
      return { ...plan, actions: [], requeueAfterMs: error.retryAfterMs ?? MACHINE_POLL_MS }
    }
  }

  /** Answers when the status has to be shown, if not now. */
  async function show(
    key: string,
    operation: NodeOperation,
    { status }: NodeOperationPlan,
  ): Promise<number | undefined> {
    const latest = deps.own.operations.latest(operation)
    const wait = pace.waitMs(key)
    if (status.phase === latest.status?.phase && wait > 0) return wait
    const before = latest.metadata.resourceVersion
    await writeOperationStatus(deps, latest, status)
    if (deps.own.operations.latest(operation).metadata.resourceVersion !== before) pace.shown(key)
    return undefined
  }

  return withSources(controller, () => sources(deps, controller))
}

/** It cannot take a cluster that is not there; one that has ended holds nothing any more. */
async function withoutCluster(executor: Executor, operation: NodeOperation): Promise<ReconcileResult> {
  if (hasEnded(operation)) {
    await removeFinalizer(executor.deps.client, NODE_OPERATIONS, operation, Finalizer.nodeOperation)
    return {}
  }
  const { clock, recorder } = executor.deps
  const message = `ManagedCluster ${operation.spec.clusterRef.name} does not exist`
  const step = { phase: OperationPhase.Failed, reason: NodeReason.ClusterMissing, message }
  recordEvent(recorder, operation, note(step.reason, message, 'Warning'))
  await writeOperationStatus(executor.deps, operation, operationStatus({ operation, step, now: clock.now() }))
  return {}
}

/** After something was done the next step is looked for at once. */
function nextLook({ observed }: OperationView, first: NodeOperationPlan, last: NodeOperationPlan): number | undefined {
  const acted = first.actions.length > 0 && last.actions.length > 0
  const onTheirWay = observed.members.some(({ machine }) => isOnItsWay(machine?.state))
  return earliest(
    last.requeueAfterMs,
    acted && last.actions.some((action) => isNews(observed, action)) ? AT_ONCE_MS : undefined,
    acted ? drainLook(observed) : undefined,
    onTheirWay && !hasEnded({ ...observed.operation, status: last.status }) ? MACHINE_POLL_MS : undefined,
  )
}

const isOnItsWay = (state: string | undefined): boolean =>
  state === 'Stopping' || state === 'Starting' || state === 'Creating' || state === 'Terminating'

/** A drain that goes on says by itself when it is looked at again; everything else has a next step. */
function isNews({ members }: NodesObserved, action: NodeAction): boolean {
  return action.kind !== 'DrainNode' || members.find(({ name }) => name === action.node)?.drain === undefined
}

/** A drain looks again when it said so; its pods wake it before. */
function drainLook({ members }: NodesObserved): number | undefined {
  return earliest(...members.map(({ drain }) => drain?.requeueAfterMs))
}

/** An operation is looked at when it, its cluster, or a node, pod or budget of its cluster changes. */
function sources(deps: NodeDeps, controller: Controller): (() => void)[] {
  const { clusters, operations } = deps.caches
  const openOf = (namespace: string | undefined, cluster: string): string[] =>
    operations
      .byIndex(BY_CLUSTER, cluster)
      .filter((one) => one.metadata.namespace === namespace && isOpen(one))
      .map(objectKey)
  return [
    enqueueOnChange(operations, controller),
    enqueueOnChange(clusters, controller, ({ metadata }) => openOf(metadata.namespace, metadata.name ?? '')),
    deps.sessions.on((cluster) => {
      const { namespace, name } = splitKey(cluster)
      for (const key of openOf(namespace, name)) controller.enqueueAfter(key, GATHER_MS)
    }),
  ]
}

/** Ended ones too, until they hold nothing any more. */
const isOpen = (operation: NodeOperation): boolean =>
  !hasEnded(operation) || (operation.metadata.finalizers ?? []).length > 0
