/** Everything `planNodeOperation` may know of one run; nothing here decides. */
import type { ManagedCluster } from '../../api/v1alpha1/managed-cluster.ts'
import type { NodeOperation } from '../../api/v1alpha1/node-operation.ts'
import { MANAGED_CLUSTERS, NODE_OPERATIONS } from '../../api/v1alpha1/resources.ts'
import type { DrainFacts, Member, NodesObserved } from '../../core/nodes/model.ts'
import { hasEnded } from '../../core/nodes/operation-status.ts'
import { field } from '../../core/optional-field.ts'
import { isKubeError } from '../../kube/errors.ts'
import { keyOf, splitKey } from '../../kube/object-key.ts'
import { isProviderError } from '../../providers/provider.ts'
import type { NodeDeps } from '../cluster/deps.ts'
import { NO_CAPABILITIES, type ObservedCluster, observeCluster } from '../cluster/observe-cluster.ts'
import type { ClusterSession } from '../cluster/sessions.ts'
import { settingsProblems } from '../cluster/settings-problems.ts'
import { createDrainReader, planTask } from './drain/drain-pass.ts'
import type { Drains } from './drains.ts'

export interface OperationView extends ObservedCluster {
  readonly observed: NodesObserved
}

export interface Subject {
  readonly operation: NodeOperation
  readonly cluster: ManagedCluster
}

/** From the caches and what this process wrote since. Undefined: the operation or its cluster is gone. */
export function cachedSubject({ caches, own }: NodeDeps, key: string): Partial<Subject> {
  const { namespace = '', name } = splitKey(key)
  const operation = caches.operations.get(namespace, name)
  if (operation === undefined) return {}
  const cluster = caches.clusters.get(namespace, operation.spec.clusterRef.name)
  return {
    operation: own.operations.latest(operation),
    ...(cluster === undefined ? {} : { cluster: own.clusters.latest(cluster) }),
  }
}

/** From the server: before an effect. */
export async function freshSubject(
  { client, own }: NodeDeps,
  { operation, cluster }: Subject,
): Promise<Subject | undefined> {
  try {
    const [freshOperation, freshCluster] = await Promise.all([
      client.get(NODE_OPERATIONS, refOfNamed(operation)),
      client.get(MANAGED_CLUSTERS, refOfNamed(cluster)),
    ])
    if (freshOperation.metadata.uid !== operation.metadata.uid) return undefined
    if (freshCluster.metadata.uid !== cluster.metadata.uid) return undefined
    own.operations.record(freshOperation)
    own.clusters.record(freshCluster)
    return { operation: freshOperation, cluster: freshCluster }
  } catch (error) {
    if (isKubeError(error, 'NotFound')) return undefined
    throw error
  }
}

const refOfNamed = ({ metadata }: NodeOperation | ManagedCluster) => ({
  name: metadata.name ?? '',
  namespace: metadata.namespace ?? '',
})

export async function observeOperation(
  deps: NodeDeps,
  drains: Drains,
  { operation, cluster }: Subject,
  fresh: boolean,
): Promise<OperationView> {
  const seen = await observeCluster(deps, cluster, { fresh })
  const members = await withDrains(
    { deps, drains, cluster, operation, session: seen.session, fresh },
    seen.facts.members,
  )
  const capabilities = seen.provider?.capabilities(seen.target.config) ?? NO_CAPABILITIES
  const problems = await problemsOf(seen, { operation, cluster })
  const observed = {
    ...seen.facts,
    members,
    cluster,
    operation,
    capabilities,
    freezes: [],
    ...field('problems', problems),
  }
  return { ...seen, observed }
}

/** Asked while the run is not bound to the settings yet. */
async function problemsOf(
  { provider, target, facts }: ObservedCluster,
  { operation, cluster }: Subject,
): Promise<NodesObserved['problems']> {
  const holder = cluster.status?.operation
  const { type, settingsStored } = operation.spec
  if (type !== 'Rollout' || !settingsStored || hasEnded(operation)) return undefined
  const isBound = holder !== undefined && (holder.uid !== operation.metadata.uid || holder.wanted !== undefined)
  if (isBound) return undefined
  if (!facts.machinesKnown) return 'unknown'
  try {
    return await settingsProblems(provider, target, cluster.spec.nodeGroups)
  } catch (error) {
    if (isProviderError(error)) return 'unknown'
    throw error
  }
}

interface DrainContext extends Subject {
  readonly deps: NodeDeps
  readonly drains: Drains
  readonly session: ClusterSession | undefined
  readonly fresh: boolean
}

/** How the drains stand is worked out anew each time: a pod that came meanwhile, or a cordon that was taken off, counts. */
async function withDrains(context: DrainContext, members: readonly Member[]): Promise<readonly Member[]> {
  const { cluster, operation, session, drains } = context
  const batch = cluster.status?.operation
  if (session === undefined || batch?.uid !== operation.metadata.uid) return members
  const entries = new Set((batch?.batch?.nodes ?? []).map(({ name }) => name))
  drains.keepOnly(operation, entries)
  const read = createDrainReader(session.client)
  return await Promise.all(
    members.map(async (member) =>
      entries.has(member.name)
        ? { ...member, ...field('drain', await drainOf(context, { session, read }, member)) }
        : member,
    ),
  )
}

async function drainOf(
  { deps, drains, cluster, operation, fresh }: DrainContext,
  { session, read }: { session: ClusterSession; read: ReturnType<typeof createDrainReader> },
  member: Member,
): Promise<DrainFacts | undefined> {
  const held = drains.of(operation, member.name)
  if (held === undefined || member.node === undefined) return undefined
  const view = fresh ? await read(member.name) : drains.cachedView(session, held, member.name)
  held.attachedClaims = view.attachedClaims
  const { outcome, message, requeueAfterMs } = planTask(drains.task(cluster, held, member), view, deps.clock.now())
  return { outcome, message, ...field('requeueAfterMs', requeueAfterMs) }
}

export const clusterKeyOf = ({ metadata, spec }: NodeOperation): string =>
  keyOf(metadata.namespace, spec.clusterRef.name)
