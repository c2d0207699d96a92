/**
 * Carries out a plan over the nodes of a cluster. All but the finalizers is guarded: the cluster is observed anew, planned again
 * with the same function, and only what both plans ask for is done.
 */

import { NODES } from '../../api/core-resources.ts'
import { Annotation, Finalizer, OPERATOR_NAME } from '../../api/v1alpha1/labels.ts'
import type { NodeOperation } from '../../api/v1alpha1/node-operation.ts'
import { MANAGED_CLUSTERS, NODE_OPERATIONS } from '../../api/v1alpha1/resources.ts'
import type { EvictionAnswer } from '../../core/drain/model.ts'
import type { NodeAction } from '../../core/nodes/action.ts'
import { type NodeOperationPlan, planNodeOperation } from '../../core/nodes/plan-node-operation.ts'
import { field } from '../../core/optional-field.ts'
import { assertNever } from '../../core/plan.ts'
import { fencedStatusPatch } from '../../kube/fenced-patch.ts'
import { addFinalizer, removeFinalizer } from '../../kube/finalizers.ts'
import { refOf } from '../../kube/request-path.ts'
import type { Provider } from '../../providers/provider.ts'
import type { NodeDeps } from '../cluster/deps.ts'
import { forgetHistory } from '../cluster/history.ts'
import { markAnnotation } from '../cluster/members.ts'
import type { ClusterSession } from '../cluster/sessions.ts'
import { type WriteResult, writeStatus } from '../write-status.ts'
import { drainPass, readDrainView } from './drain/drain-pass.ts'
import type { Drains } from './drains.ts'
import { freshSubject, type OperationView, observeOperation, type Subject } from './observe.ts'

export interface Executor {
  readonly deps: NodeDeps
  readonly drains: Drains
}

/** Answers the last plan that was made: its status is what is to be written. Undefined: the operation or its cluster is gone. */
export async function executeOperation(
  executor: Executor,
  view: OperationView,
  plan: NodeOperationPlan,
): Promise<NodeOperationPlan | undefined> {
  const unguarded = plan.actions.filter(isUnguarded)
  for (const action of unguarded) await finalizer(executor, view, action)
  if (plan.actions.length === unguarded.length) return plan
  return await guarded(executor, view.observed, plan)
}

type Unguarded = Extract<NodeAction, { kind: 'AddFinalizer' | 'RemoveFinalizer' }>
type Guarded = Exclude<NodeAction, Unguarded>

const isUnguarded = (action: NodeAction): action is Unguarded =>
  action.kind === 'AddFinalizer' || action.kind === 'RemoveFinalizer'

async function finalizer({ deps }: Executor, { observed }: OperationView, { kind }: Unguarded): Promise<void> {
  const { operation } = observed
  if (kind === 'RemoveFinalizer') {
    await removeFinalizer(deps.client, NODE_OPERATIONS, operation, Finalizer.nodeOperation)
  } else {
    deps.own.operations.record(await addFinalizer(deps.client, NODE_OPERATIONS, operation, Finalizer.nodeOperation))
  }
}

/** What an action is, whatever has become of the fences it carries. */
const nameOf = (action: NodeAction): string => ('node' in action ? `${action.kind} ${action.node}` : action.kind)

/** The stops of one plan are counted against the budget together, so one look before them is enough. */
async function guarded(
  executor: Executor,
  subject: Subject,
  plan: NodeOperationPlan,
): Promise<NodeOperationPlan | undefined> {
  const asked = new Set(plan.actions.map(nameOf))
  const again = await planAgain(executor, subject)
  if (again === undefined) return undefined
  const open = again.plan.actions.filter((action): action is Guarded => !isUnguarded(action))
  await actAll(
    executor,
    again.view,
    open.filter((action) => asked.has(nameOf(action))),
  )
  return again.plan
}

async function planAgain(
  { deps, drains }: Executor,
  subject: Subject,
): Promise<{ view: OperationView; plan: NodeOperationPlan } | undefined> {
  const fresh = await freshSubject(deps, subject)
  if (fresh === undefined) return undefined
  const view = await observeOperation(deps, drains, fresh, true)
  return { view, plan: planNodeOperation(view.observed, deps.clock.now()) }
}

/** Nodes do not wait for each other; the first failure is told when all are through, and the next pass sees what has become. */
async function actAll(executor: Executor, view: OperationView, actions: readonly Guarded[]): Promise<void> {
  const settled = await Promise.allSettled(actions.map((action) => act(executor, view, action)))
  const failed = settled.find((one) => one.status === 'rejected')
  if (failed !== undefined) throw failed.reason
}

async function act(executor: Executor, view: OperationView, action: Guarded): Promise<void> {
  switch (action.kind) {
    case 'SetCluster':
      return await setCluster(executor, view, action)
    case 'MarkNode':
      return await patchNode(view, action, { annotations: { [markAnnotation(view.observed.cluster)]: action.bootId } })
    case 'CordonNode':
      return await patchNode(view, action, {
        annotations: { [Annotation.cordonedBy]: OPERATOR_NAME },
        spec: { unschedulable: true },
      })
    case 'ReleaseNode':
      return await patchNode(view, action, released(view, action.uncordon))
    case 'DrainNode':
      return await drain(executor, view, action)
    case 'StopMachine':
      return await withProvider(view, (provider) => provider.stop(view.target, action.machineId))
    case 'StartMachine':
      return await withProvider(view, (provider) => provider.start(view.target, action.machineId))
    case 'TerminateMachine':
      return await withProvider(view, (provider) => provider.terminate(view.target, action.machineId))
    case 'DeleteCluster':
      return await deleteCluster(executor.deps, view, action)
    case 'ApplySettings':
      return await withProvider(view, (provider) =>
        provider.applySettings(view.target, action.machineId, action.settings),
      )
    default:
      return assertNever(action)
  }
}

type Of<K extends NodeAction['kind']> = Extract<NodeAction, { kind: K }>

async function setCluster({ deps }: Executor, { observed }: OperationView, action: Of<'SetCluster'>): Promise<void> {
  const patch = fencedStatusPatch(observed.cluster, action.status)
  if (patch === undefined) return
  deps.own.clusters.record(
    await deps.client.patch(MANAGED_CLUSTERS, refOf(observed.cluster), patch, { subresource: 'status' }),
  )
}

/** Its ended operations go with it; the one that destroyed it stays, to tell of it. */
async function deleteCluster(deps: NodeDeps, { observed }: OperationView, action: Of<'DeleteCluster'>): Promise<void> {
  const { cluster, operation } = observed
  await forgetHistory(deps, operation)
  const { uid } = cluster.metadata
  const preconditions = { ...field('uid', uid), resourceVersion: action.resourceVersion }
  await deps.client.delete(MANAGED_CLUSTERS, refOf(cluster), preconditions)
}

interface NodeChange {
  readonly annotations: Readonly<Record<string, string | null>>
  readonly spec?: object
}

function released({ observed }: OperationView, uncordon: boolean): NodeChange {
  const mark = { [markAnnotation(observed.cluster)]: null }
  if (!uncordon) return { annotations: mark }
  return { annotations: { ...mark, [Annotation.cordonedBy]: null }, spec: { unschedulable: null } }
}

/** A node that somebody else wrote to meanwhile is looked at again in the next pass. */
async function patchNode(
  view: OperationView,
  { node, uid, resourceVersion }: Of<'MarkNode' | 'CordonNode' | 'ReleaseNode'>,
  { annotations, spec }: NodeChange,
): Promise<void> {
  const body = { metadata: { uid, resourceVersion, annotations }, ...(spec === undefined ? {} : { spec }) }
  await sessionOf(view).client.patch(NODES, { name: node }, { type: 'merge', body })
}

async function drain({ deps, drains }: Executor, view: OperationView, action: Of<'DrainNode'>): Promise<void> {
  const { observed } = view
  const member = observed.members.find(({ name }) => name === action.node)
  if (member === undefined) return
  const { client } = sessionOf(view)
  const held = drains.begin(observed.operation, action.node, action)
  const seen = await readDrainView(client, action.node)
  const task = drains.task(observed.cluster, held, member)
  const cluster = observed.cluster.metadata.name ?? ''
  const pass = { client, now: () => deps.clock.now(), random: deps.random }
  const answered = (answer: EvictionAnswer['answer']): void => deps.meter.evicted(cluster, answer)
  const { memory } = await drainPass({ ...pass, answered }, task, seen)
  held.memory = memory
  held.attachedClaims = seen.attachedClaims
}

async function withProvider(view: OperationView, call: (provider: Provider) => Promise<unknown>): Promise<void> {
  // Plans over an unknown provider ask for nothing of it.
  if (view.provider !== undefined) await call(view.provider)
}

function sessionOf({ session, target }: OperationView): ClusterSession {
  if (session !== undefined) return session
  throw new TypeError(`cluster ${target.name}: a plan asked for something of nodes that nobody could read`)
}

/** Writes the status of the operation when it differs. */
export const writeOperationStatus = (
  { client, own }: NodeDeps,
  operation: NodeOperation,
  status: NodeOperationPlan['status'],
): Promise<WriteResult> =>
  writeStatus({ client, type: NODE_OPERATIONS, record: own.operations.record }, operation, status)
