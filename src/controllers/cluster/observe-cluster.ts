/** A standing cluster as it is: its machines, nodes, etcd and API servers. What does not answer is said to be unknown. */
import type { Node } from '../../api/core-resources.ts'
import { NODES } from '../../api/core-resources.ts'
import type { ManagedCluster } from '../../api/v1alpha1/managed-cluster.ts'
import type { Capabilities, ClusterFacts, EtcdFacts } from '../../core/nodes/model.ts'
import { field } from '../../core/optional-field.ts'
import type { KubeClient } from '../../kube/client.ts'
import { isKubeError } from '../../kube/errors.ts'
import { type ClusterTarget, isProviderError, type Machine, type Provider } from '../../providers/provider.ts'
import type { NodeDeps } from './deps.ts'
import { type Grouped, groupMembers } from './members.ts'
import type { ClusterSession } from './sessions.ts'

export interface ObservedCluster {
  readonly facts: ClusterFacts
  /** Absent: the API of the cluster cannot be reached, or its caches are not filled, or are behind. */
  readonly session?: ClusterSession
  readonly provider: Provider | undefined
  readonly target: ClusterTarget
}

/** Of a provider that this operator does not have. */
export const NO_CAPABILITIES: Capabilities = { restart: false, replace: false, changes: new Set<never>() }

export interface ObserveOptions {
  /** Nodes are read anew rather than taken from the cache: before something that cannot be undone. */
  readonly fresh: boolean
}

export async function observeCluster(
  deps: NodeDeps,
  cluster: ManagedCluster,
  { fresh }: ObserveOptions,
): Promise<ObservedCluster> {
  const seen = await observeMembers(deps, cluster, { fresh })
  const { provider, target, session, machines } = seen
  const controls = machines.filter(({ type }) => type === 'control')
  const [etcd, serving] = await Promise.all([
    readEtcd(provider, target, session?.client),
    readServing(provider, target, controls),
  ])
  const { members, ungrouped, ungroupedMachines, nodesKnown, machinesKnown } = seen
  const bare = { members, ungrouped, ungroupedMachines, nodesKnown, machinesKnown, etcd, serving }
  const health = deps.health.results({ cluster, facts: bare, session })
  return { facts: { ...bare, health }, provider, target, ...(session === undefined ? {} : { session }) }
}

export interface ObservedMembers
  extends Grouped,
    Pick<ClusterFacts, 'nodesKnown' | 'machinesKnown'>,
    Pick<ObservedCluster, 'provider' | 'target'> {
  readonly session: ClusterSession | undefined
  readonly machines: readonly Machine[]
}

/** Its nodes and machines alone. */
export async function observeMembers(
  deps: NodeDeps,
  cluster: ManagedCluster,
  { fresh }: ObserveOptions,
): Promise<ObservedMembers> {
  const provider = deps.providers.get(cluster.spec.provider.type)
  const target = targetOf(cluster)
  const session = await sessionOf(deps, cluster)
  const [nodes, machines] = await Promise.all([readNodes(session, fresh), readMachines(deps, provider, target)])
  const grouped = groupMembers(cluster, {
    machines: machines ?? [],
    nodes: nodes ?? [],
    ...field('ownNode', deps.ownNode),
  })
  return {
    ...grouped,
    provider,
    target,
    session,
    machines: machines ?? [],
    nodesKnown: nodes !== undefined,
    machinesKnown: machines !== undefined,
  }
}

export function targetOf({ metadata, spec }: ManagedCluster): ClusterTarget {
  const { namespace = '', name = '', uid = '' } = metadata
  return { namespace, name, uid, config: spec.provider }
}

async function sessionOf(deps: NodeDeps, cluster: ManagedCluster): Promise<ClusterSession | undefined> {
  try {
    const session = await deps.sessions.of(cluster)
    return session.isCurrent() ? session : undefined
  } catch (error) {
    deps.log.warn({ ManagedCluster: cluster.metadata.name, err: error }, 'the API of the cluster cannot be reached')
    return undefined
  }
}

async function readNodes(session: ClusterSession | undefined, fresh: boolean): Promise<readonly Node[] | undefined> {
  if (session === undefined) return undefined
  if (!fresh) return session.nodes.list()
  try {
    return (await session.client.list(NODES)).items
  } catch (error) {
    if (isKubeError(error)) return undefined
    throw error
  }
}

async function readMachines(
  deps: NodeDeps,
  provider: Provider | undefined,
  target: ClusterTarget,
): Promise<readonly Machine[] | undefined> {
  try {
    return await provider?.listMachines(target)
  } catch (error) {
    if (!isProviderError(error)) throw error
    deps.log.warn({ ManagedCluster: target.name, code: error.code, err: error }, 'the machines cannot be read')
    return undefined
  }
}

async function readEtcd(
  provider: Provider | undefined,
  target: ClusterTarget,
  client: KubeClient | undefined,
): Promise<EtcdFacts | undefined> {
  if (provider === undefined || client === undefined) return undefined
  try {
    const [{ members }, ready] = await Promise.all([provider.etcdHealth(target), isEtcdReady(client)])
    return { members, ready }
  } catch (error) {
    if (isProviderError(error)) return undefined
    throw error
  }
}

/** An API server without this check has no etcd that it could ask: then its own readiness counts. */
async function isEtcdReady(client: KubeClient): Promise<boolean> {
  try {
    await client.raw('GET', '/readyz/etcd')
    return true
  } catch (error) {
    return isKubeError(error, 'NotFound') ? await answers(client, '/readyz') : false
  }
}

async function answers(client: KubeClient, path: string): Promise<boolean> {
  try {
    await client.raw('GET', path)
    return true
  } catch (error) {
    if (isKubeError(error)) return false
    throw error
  }
}

async function readServing(
  provider: Provider | undefined,
  target: ClusterTarget,
  controls: readonly Machine[],
): Promise<ReadonlySet<string>> {
  if (provider === undefined) return new Set()
  const asked = controls.map(async ({ id, name, nodeName }) => {
    const serves = await provider.serves(target, id).catch((error: unknown) => {
      if (isProviderError(error)) return false
      throw error
    })
    return serves ? [nodeName ?? name] : []
  })
  return new Set((await Promise.all(asked)).flat())
}
