/**
 * The health checks that a ManagedCluster names. No data counts as unhealthy, and so does a check that this operator does not
 * carry out. A pass counts at most once in five seconds, so that several in a row also lie some time apart.
 */
import type { ManagedCluster, NodeHealthCheck } from '../../api/v1alpha1/managed-cluster.ts'
import { budgetName } from '../../core/drain/budgets.ts'
import type { ClusterFacts, HealthFacts } from '../../core/nodes/model.ts'
import { isServing } from '../../core/nodes/run-facts.ts'
import { isKubeError } from '../../kube/errors.ts'
import type { NodeDeps } from './deps.ts'
import type { ClusterSession } from './sessions.ts'

const APART_MS = 5_000
const HTTP_TIMEOUT_MS = 5_000

interface Passes {
  passes: number
  countedAt: number
}

/** By UID of the cluster and name of the check. */
export type HealthMemory = Map<string, Passes>

interface Checked {
  readonly facts: Omit<ClusterFacts, 'health'>
  readonly session: ClusterSession | undefined
}

/** Undefined: well; otherwise what is wrong. */
type Check = (check: NodeHealthCheck, on: Checked) => string | undefined | Promise<string | undefined>

const CHECKS: Partial<Record<NodeHealthCheck['type'], Check>> = {
  nodesReady: (_, { facts }) => {
    if (!facts.nodesKnown) return 'the nodes could not be read'
    return listed(
      facts.members.filter((member) => member.type !== 'etcd' && member.node?.ready !== true),
      'not Ready',
    )
  },
  machinesRunning: (_, { facts }) => {
    if (!facts.machinesKnown) return 'the machines could not be read'
    return listed(
      facts.members.filter((member) => member.machine?.state !== 'Running'),
      'not running',
    )
  },
  controlPlane: (_, { session }) => controlPlane(session),
  etcdQuorum: (_, { facts }) => {
    const voters = (facts.etcd?.members ?? []).filter(({ voter }) => voter)
    const healthy = voters.filter((member) => member.healthy).length
    const quorum = Math.floor(voters.length / 2) + 1
    return facts.etcd?.ready && healthy >= quorum
      ? undefined
      : `${healthy} of ${voters.length} etcd members are healthy`
  },
  pdbHeadroom: (_, { session }) => pdbHeadroom(session),
  workloads: (_, { facts, session }) => workloads(facts, session),
  http: ({ http }) => answersWith(http?.url ?? '', http?.status ?? 200),
}

export async function checkHealth(
  deps: Pick<NodeDeps, 'clock' | 'health'>,
  { metadata, spec }: ManagedCluster,
  facts: Checked['facts'],
  session: ClusterSession | undefined,
): Promise<readonly HealthFacts[]> {
  const checked = { facts, session }
  return await Promise.all(
    spec.healthChecks.map(async (check) => {
      const wrong = await run(check, checked)
      const key = `${metadata.uid} ${check.name}`
      return { name: check.name, passes: count(deps, key, wrong === undefined), message: wrong ?? 'well' }
    }),
  )
}

async function run(check: NodeHealthCheck, checked: Checked): Promise<string | undefined> {
  const carriedOut = CHECKS[check.type]
  if (carriedOut === undefined) return `checks of type ${check.type} are not carried out by this operator`
  return await carriedOut(check, checked)
}

function count({ clock, health }: Pick<NodeDeps, 'clock' | 'health'>, key: string, passed: boolean): number {
  const before = health.get(key)
  if (!passed) {
    health.delete(key)
    return 0
  }
  const now = clock.monotonic()
  if (before !== undefined && now - before.countedAt < APART_MS) return before.passes
  const next = { passes: (before?.passes ?? 0) + 1, countedAt: now }
  health.set(key, next)
  return next.passes
}

function listed(members: readonly { readonly name: string }[], what: string): string | undefined {
  if (members.length === 0) return undefined
  const names = members.slice(0, 3).map(({ name }) => name)
  return `${members.length} ${what}: ${names.join(', ')}${members.length > 3 ? ' and more' : ''}`
}

async function controlPlane(session: ClusterSession | undefined): Promise<string | undefined> {
  if (session === undefined) return 'the API of the cluster cannot be reached'
  try {
    await session.client.raw('GET', '/readyz')
    return undefined
  } catch (error) {
    if (isKubeError(error)) return error.message
    throw error
  }
}

function pdbHeadroom(session: ClusterSession | undefined): string | undefined {
  if (session === undefined) return 'the budgets could not be read'
  const short = session.budgets
    .list()
    .filter(({ status }) => (status?.currentHealthy ?? 0) < (status?.desiredHealthy ?? 0))
  return listed(
    short.map((budget) => ({ name: budgetName(budget) })),
    'budgets without their healthy pods',
  )
}

/** Pods that run on nodes that serve, and are not Ready; and pods that find no place. */
function workloads(facts: Checked['facts'], session: ClusterSession | undefined): string | undefined {
  if (session === undefined) return 'the pods could not be read'
  const serving = new Set(facts.members.filter(isServing).map(({ name }) => name))
  const sick = session.pods.list().filter(({ metadata, spec, status }) => {
    if (metadata.deletionTimestamp !== undefined || status?.phase === 'Succeeded' || status?.phase === 'Failed')
      return false
    if (spec?.nodeName !== undefined && !serving.has(spec.nodeName)) return false
    return status?.conditions?.find(({ type }) => type === 'Ready')?.status !== 'True'
  })
  return listed(
    sick.map(({ metadata }) => ({ name: `${metadata.namespace}/${metadata.name}` })),
    'pods not Ready',
  )
}

async function answersWith(url: string, status: number): Promise<string | undefined> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(HTTP_TIMEOUT_MS), redirect: 'manual' })
    await response.body?.cancel()
    return response.status === status ? undefined : `${url} answers ${response.status}, not ${status}`
  } catch (error) {
    return `${url} does not answer: ${error instanceof Error ? error.message : String(error)}`
  }
}
