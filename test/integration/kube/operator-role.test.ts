/** The manifests in deploy/rbac: a whole operator with the account that they make, and what it asks for of what they allow. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse, parseAllDocuments, stringify } from 'yaml'
import { withAccessPolicyDefaults, withClusterPoolDefaults } from '../../../src/api/v1alpha1/defaults.ts'
import { ACCESS_POLICIES, CLUSTER_INSTANCES, CLUSTER_POOLS } from '../../../src/api/v1alpha1/resources.ts'
import { destroyOrphans } from '../../../src/backends/embedded/orphans.ts'
import { createFakeBackend } from '../../../src/backends/fake/fake-backend.ts'
import type { KubeClient } from '../../../src/kube/client.ts'
import { systemClock } from '../../../src/kube/clock.ts'
import { isKubeError } from '../../../src/kube/errors.ts'
import { createKubeClient } from '../../../src/kube/kube-client.ts'
import { silentLog } from '../../../src/kube/log.ts'
import { type RunningOperator, startOperator } from '../../../src/operator.ts'
import { ensureLocalAdmin } from '../../../src/up/seed.ts'
import { createTestCertificates } from '../../support/certificates.ts'
import { HOST_KINDS } from '../../support/host-under-test.ts'
import { ON_REAL_HOST } from '../../support/kobe.ts'
import { NAMESPACE, type NodesWorld, startNodesWorld } from '../../support/nodes-world.ts'
import { type AskedFor, createRequestRecorder, type RequestRecorder, rightsOf } from '../../support/rights.ts'
import { eventually, ROOT } from '../../support/run.ts'

const RBAC = join(ROOT, 'deploy', 'rbac')
const OPERATOR = 'kobe-operator'

/** What this run has no occasion for, or not each time. */
const NOT_ALWAYS_ASKED: Readonly<Record<string, string>> = {
  'delete batch/jobs': 'a Job of a health check that has ended, which may come later',
  'delete pods': 'onTimeout Force of a drain',
  'get pods': 'an eviction without a clear answer',
  'list persistentvolumes': 'a volume that has not let go',
  'create kobe.kunobi.ninja/managedclusters': 'POST /v1/clusters',
  'patch kobe.kunobi.ninja/managedclusters': 'settings over the HTTP API',
  'delete kobe.kunobi.ninja/managedclusters': 'operation Destroy',
  'patch secrets': 'POST /v1/clusters with a kubeconfig',
  'create kobe.kunobi.ninja/nodeoperations': 'POST /v1/operations',
  'delete kobe.kunobi.ninja/nodeoperations': 'more than ten ended operations',
  'list events': 'notes of an operation over the HTTP API',
  'watch events': 'an operation that is followed over the HTTP API',
  'patch events': 'the same Event again',
  'get secrets': 'a Secret that somebody else made meanwhile',
  'get kobe.kunobi.ninja/clusterinstances': 'a write that another writer was faster with',
  'update kobe.kunobi.ninja/clusterpools/finalizers': 'admission plugin OwnerReferencesPermissionEnforcement',
}

// biome-ignore lint/suspicious/noExplicitAny: parsed YAML and JSON.
type Any = any

const documents = (): Any[] =>
  readdirSync(RBAC)
    .filter((name) => name !== 'kustomization.yaml')
    .flatMap((name) => parseAllDocuments(readFileSync(join(RBAC, name), 'utf8')).map((document) => document.toJS()))

async function apply(client: KubeClient, object: Any): Promise<void> {
  const { namespace } = object.metadata
  const group = object.apiVersion === 'v1' ? '/api/v1' : `/apis/${object.apiVersion}`
  const plural = `${object.kind.toLowerCase()}s`
  const path = namespace === undefined ? `${group}/${plural}` : `${group}/namespaces/${namespace}/${plural}`
  await client.raw('POST', path, object).catch((error: unknown) => {
    if (!isKubeError(error, 'AlreadyExists')) throw error
  })
}

async function tokenOf(client: KubeClient, account: string, audience?: string): Promise<string> {
  const path = `/api/v1/namespaces/${NAMESPACE}/serviceaccounts/${account}/token`
  const spec = audience === undefined ? {} : { audiences: [audience] }
  const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec }
  return ((await client.raw('POST', path, body)) as Any).status.token
}

function withToken(kubeconfig: string, token: string): string {
  const config = parse(kubeconfig)
  return stringify({ ...config, users: config.users.map(({ name }: Any) => ({ name, user: { token } })) })
}

describe('an operator with the rights of deploy/rbac', () => {
  let world: NodesWorld
  let operator: RunningOperator
  let recorder: RequestRecorder
  let token: string
  let dir: string

  beforeAll(async () => {
    dir = mkdtempSync(join(tmpdir(), 'kobe-role-'))
    world = await startNodesWorld({
      size: { control: 1, workers: 3, etcd: 0 },
      host: HOST_KINDS[ON_REAL_HOST ? 1 : 0]!,
    })
    for (const object of documents()) await apply(world.client, object)
    const kubeconfig = withToken(world.kubeconfig, await tokenOf(world.client, OPERATOR))
    const client = createKubeClient({ kubeconfig })
    recorder = createRequestRecorder(client)
    token = await ensureLocalAdmin(world.client, NAMESPACE)
    const backend = Object.assign(createFakeBackend({ clock: systemClock }), { type: 'k3s' as const })
    backend.kubeconfig = async () => world.kubeconfig
    const { ca, server } = await createTestCertificates()
    operator = await startOperator({
      client: recorder.client,
      namespace: NAMESPACE,
      identity: 'under-test',
      backends: [backend],
      listen: { host: '127.0.0.1', httpsPort: 0, httpPort: 0 },
      tls: { ca, ...server },
      installCrds: true,
      diagnosticsDir: dir,
      clock: systemClock,
      log: silentLog,
      onLeading: async () => {
        const members = async () => [{ name: 'of-nobody', uid: 'of-nobody' }] as Any
        await destroyOrphans({
          backend: { members, destroyMember: async () => ({}) as Any },
          client: recorder.client,
          log: silentLog,
        })
      },
    })
  })
  afterAll(async () => {
    await operator?.stop()
    await world?.[Symbol.asyncDispose]()
    rmSync(dir, { recursive: true, force: true })
  })

  async function call(method: string, path: string, body?: object, as = token): Promise<{ status: number; body: Any }> {
    const response = await fetch(`${operator.httpUrl}${path}`, {
      method,
      headers: { authorization: `Bearer ${as}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    return { status: response.status, body: text.startsWith('{') || text.startsWith('[') ? JSON.parse(text) : text }
  }
  const nothingRefused = () => expect(recorder.refused).toEqual([])

  it('makes a pool warm, leases, extends and gives back, with diagnostics, and lets the pool go', async () => {
    const pool = {
      metadata: { name: 'a', namespace: NAMESPACE },
      spec: { size: 1, backend: { type: 'k3s' as const }, cluster: { version: 'v1.35.0' } },
    }
    await world.client.create(CLUSTER_POOLS, withClusterPoolDefaults(pool))
    const { id } = (
      await call('POST', '/v1/leases', { profile: 'a', ttl: '1h', diagnostics: true, idempotencyKey: 'one' })
    ).body
    await eventually(
      'the lease is bound',
      30_000,
      async () => (await call('GET', `/v1/leases/${id}?wait=5s`)).body.kubeconfig,
    )
    const { body: second } = await call('POST', '/v1/leases', { profile: 'a' })
    expect((await call('DELETE', `/v1/leases/${second.id}`)).status).toBe(204)
    expect((await call('GET', '/v1/pools/missing')).status).toBe(404)
    expect((await call('PATCH', `/v1/leases/${id}`, { extend_ttl: '10m' })).status).toBe(200)
    expect((await call('POST', `/v1/leases/${id}/heartbeat`)).status).toBe(200)
    expect((await call('GET', `/v1/leases/${id}/explain`)).status).toBe(200)
    expect((await call('DELETE', `/v1/leases/${id}`)).status).toBe(204)
    await eventually('the lease is gone', 30_000, async () => (await call('GET', `/v1/leases/${id}`)).status === 404)
    expect((await call('GET', `/v1/leases/${id}/diagnostics`)).status).toBe(200)
    await world.client.delete(CLUSTER_POOLS, { name: 'a', namespace: NAMESPACE })
    await eventually('the pool and its members are gone', 30_000, async () => {
      const [pools, members] = [await world.client.list(CLUSTER_POOLS), await world.client.list(CLUSTER_INSTANCES)]
      return pools.items.length + members.items.length === 0
    })
    nothingRefused()
  })

  it('asks whose token it is that a ServiceAccount shows', async () => {
    await apply(world.client, {
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { name: 'runner', namespace: NAMESPACE },
    })
    const policy = {
      metadata: { name: 'runners', namespace: NAMESPACE },
      spec: {
        auth: { serviceAccount: { name: 'runner', namespace: NAMESPACE } },
        rules: [{ pools: ['*'], maxTtl: '1h', maxConcurrentLeases: 1 }],
      },
    }
    await world.client.create(ACCESS_POLICIES, withAccessPolicyDefaults(policy))
    const runner = await tokenOf(world.client, 'runner', 'kobe')
    await eventually(
      'it is let in',
      10_000,
      async () => (await call('GET', '/v1/pools', undefined, runner)).status === 200,
    )
    nothingRefused()
  })

  it('rolls a node of the cluster it runs in', async () => {
    await world.settled()
    const template = { template: { spec: { containers: [{ name: 'smoke', image: 'smoke' }] } } }
    await world.patchCluster({
      healthChecks: [
        { name: 'api', type: 'controlPlane' },
        { name: 'apps', type: 'workloads' },
        { name: 'smoke', type: 'job', job: { template } },
      ],
    })
    await world.want('workers', { offering: 'large' })
    await world.begin('first')
    // What one node needs the others need too.
    await world.until('a node has been through it', async () => {
      const { status } = await world.operation('first')
      return status?.phase === 'Failed' || (status?.counts?.done ?? 0) > 0
    })
    expect((await world.operation('first')).status?.phase).toMatch(/^(Running|Succeeded)$/)
    nothingRefused()
  })

  it('was asked for nothing more than is allowed, and allows nothing that nobody asks for', () => {
    const rights = documents()
      .filter(({ kind }) => kind === 'Role' || kind === 'ClusterRole')
      .flatMap(rightsOf)
    const asked = [...recorder.asked.values()]
    const covers = (right: AskedFor, one: AskedFor) =>
      right.verb === one.verb && right.what === one.what && (right.namespace ?? one.namespace) === one.namespace
    expect(asked.filter((one) => !rights.some((right) => covers(right, one)))).toEqual([])
    const idle = rights.filter((right) => !asked.some((one) => covers(right, one)))
    expect(idle.map(({ verb, what }) => `${verb} ${what}`).filter((text) => !(text in NOT_ALWAYS_ASKED))).toEqual([])
  })
})
