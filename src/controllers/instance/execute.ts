/**
 * Carries out an instance plan: side effects first, what they answer becomes evidence; then one fenced status write.
 * Answers whether there is something new to plan from.
 */
import type { ClusterInstance, InstanceStatus } from '../../api/v1alpha1/cluster-instance.ts'
import { Finalizer } from '../../api/v1alpha1/labels.ts'
import { CLUSTER_INSTANCES } from '../../api/v1alpha1/resources.ts'
import type { Backend, MemberTarget } from '../../backends/backend.ts'
import type { InstanceAction } from '../../core/instance/action.ts'
import { instanceStatusChanged } from '../../core/instance/instance-status.ts'
import type { DestroyEvidence, InstanceObserved } from '../../core/instance/observed.ts'
import { foldProbe } from '../../core/instance/probe-schedule.ts'
import { assertNever, type Plan } from '../../core/plan.ts'
import { isKubeError } from '../../kube/errors.ts'
import { addFinalizer, removeFinalizer } from '../../kube/finalizers.ts'
import { refOf } from '../../kube/request-path.ts'
import type { ControllerDeps } from '../deps.ts'
import { type WriteResult, writeStatus } from '../write-status.ts'
import { checkGates } from './check-gates.ts'
import type { InstanceMemory } from './instance-memory.ts'
import { memberOf, type ServedMember } from './member-target.ts'
import { publishKubeconfig } from './publish-kubeconfig.ts'
import type { MemberSetup } from './setup/member-setup.ts'

export interface InstancePass {
  readonly deps: ControllerDeps
  readonly setup: MemberSetup
  readonly memory: InstanceMemory
  readonly observed: InstanceObserved
}

/** `gone`: the object was deleted. `again`: plan at once, there is new evidence. `done`: wait for an event or the requeue. */
export type PassResult = 'gone' | 'again' | 'done'

export async function executeInstance(
  pass: InstancePass,
  plan: Plan<InstanceAction, InstanceStatus>,
): Promise<PassResult> {
  for (const action of plan.actions) await act(pass, action)
  if (plan.actions.some(({ kind }) => kind === 'RemoveFinalizer')) {
    pass.memory.released = true
    return 'gone'
  }
  const wrote = await writeInstanceStatus(pass, plan.status)
  if (wrote === 'gone') return 'gone'
  return wrote === 'written' || plan.actions.length > 0 ? 'again' : 'done'
}

/**
 * IMPORTANT: fenced with the very object that was planned from, not with a newer one that another controller has written
 * since: while a member was being probed a lease may have taken it, and this status would hand it out a second time.
 */
async function writeInstanceStatus({ deps, observed }: InstancePass, status: InstanceStatus): Promise<WriteResult> {
  const { instance } = observed
  if (!instanceStatusChanged(instance, status)) return 'unchanged'
  const { client, own } = deps
  return await writeStatus({ client, type: CLUSTER_INSTANCES, record: own.instances.record }, instance, status)
}

async function act(pass: InstancePass, action: InstanceAction): Promise<void> {
  switch (action.kind) {
    case 'AddFinalizer':
      pass.deps.own.instances.record(
        await addFinalizer(pass.deps.client, CLUSTER_INSTANCES, pass.observed.instance, Finalizer.instanceCleanup),
      )
      return
    case 'RemoveFinalizer':
      return removeFinalizer(pass.deps.client, CLUSTER_INSTANCES, pass.observed.instance, Finalizer.instanceCleanup)
    case 'DeleteInstance':
      return deleteInstance(pass, action)
    case 'EnsureMember':
      return ensureMember(pass)
    case 'PublishKubeconfig':
      return publish(pass)
    case 'CheckGates':
      return gates(pass)
    case 'ProbeMember':
      return probe(pass)
    case 'DestroyMember':
      return destroy(pass)
    default:
      return assertNever(action)
  }
}

async function deleteInstance(
  { deps, observed }: InstancePass,
  { uid, resourceVersion }: { uid: string; resourceVersion: string },
): Promise<void> {
  try {
    const ref = refOf(observed.instance)
    const answer = await deps.client.delete(CLUSTER_INSTANCES, ref, { uid, resourceVersion })
    // With the finalizer on it, it is still there, now with a deletionTimestamp.
    deps.own.instances.record(isHeld(answer, uid) ? answer : await deps.client.get(CLUSTER_INSTANCES, ref))
  } catch (error) {
    if (!isKubeError(error, 'NotFound')) throw error
  }
}

function isHeld(answer: unknown, uid: string): answer is ClusterInstance {
  if (typeof answer !== 'object' || answer === null || !('metadata' in answer)) return false
  const { metadata } = answer
  if (typeof metadata !== 'object' || metadata === null) return false
  return 'uid' in metadata && metadata.uid === uid && 'deletionTimestamp' in metadata
}

function note(pass: InstancePass, evidence: Partial<InstanceMemory['evidence']>): void {
  pass.memory.evidence = { ...pass.memory.evidence, ...evidence }
}

/** A backend that this operator does not have: said in the member's own state, so that the pool sees it fail. */
function withBackend(pass: InstancePass): ServedMember | { readonly missing: string } {
  const member = memberOf(pass.deps, pass.observed.instance)
  if (member === undefined) return { missing: 'it is not recorded what the instance is made with' }
  if (member.backend === undefined) return { missing: `this operator has no backend ${member.target.backend.type}` }
  return { target: member.target, backend: member.backend }
}

async function ensureMember(pass: InstancePass): Promise<void> {
  const member = withBackend(pass)
  const at = pass.deps.clock.now()
  if ('missing' in member) return note(pass, { member: { state: 'Failed', message: member.missing, at } })
  const before = pass.memory.changes
  const state = await member.backend.ensure(member.target)
  // Told of a change while asking: the answer may be from before it, and nobody would tell again.
  if (pass.memory.changes !== before) return
  note(pass, { member: { ...state, at: pass.deps.clock.now() } })
}

async function publish(pass: InstancePass): Promise<void> {
  const member = withBackend(pass)
  if ('missing' in member) return
  await publishKubeconfig(pass.deps.client, pass.observed.instance, await member.backend.kubeconfig(member.target))
  note(pass, { kubeconfigPublished: true })
}

async function gates(pass: InstancePass): Promise<void> {
  const member = withBackend(pass)
  if ('missing' in member) return
  note(pass, { gates: await checkGates(pass, member) })
}

async function probe(pass: InstancePass): Promise<void> {
  const member = withBackend(pass)
  const result =
    'missing' in member ? { healthy: false, message: member.missing } : await member.backend.probe(member.target)
  const before = pass.memory.evidence.probe?.failuresInARow ?? pass.observed.instance.status?.healthFailures ?? 0
  const at = pass.deps.clock.now()
  pass.deps.probes.set(pass.observed.instance.metadata.uid ?? '', { healthy: result.healthy, at })
  note(pass, { probe: foldProbe(before, result, at) })
}

async function destroy(pass: InstancePass): Promise<void> {
  const member = memberOf(pass.deps, pass.observed.instance)
  const at = pass.deps.clock.now()
  // Never stamped: the backend was never asked for anything.
  if (member === undefined) return note(pass, { destroy: { gone: true, remaining: [], at } })
  if (member.backend === undefined) {
    const error = `this operator has no backend ${member.target.backend.type}: it cannot destroy the cluster`
    return note(pass, { destroy: { gone: false, remaining: ['the cluster'], error, at } })
  }
  pass.setup.forget(member.target.uid)
  const before = pass.memory.changes
  const state = await tryDestroy(member.backend, member.target)
  if (pass.memory.changes !== before) return
  note(pass, { destroy: { ...state, at: pass.deps.clock.now() } })
}

/** A destroy that fails becomes evidence: it is said on the object, and tried again as long as it takes. */
async function tryDestroy(backend: Backend, target: MemberTarget): Promise<Omit<DestroyEvidence, 'at'>> {
  try {
    return await backend.destroy(target)
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    return { gone: false, remaining: ['the cluster'], error: message }
  }
}
