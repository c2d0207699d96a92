import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { ClusterTemplate } from '../../../api/v1alpha1/cluster-pool.ts'
import { canonicalJson } from '../../../core/fleet/canonical-json.ts'
import { FINGERPRINT_NAME, type Manifest } from '../../render/manifest.ts'
import { k3sRenderer } from '../k3s-renderer.ts'
import type { K3sInput } from './input.ts'
import { k3sManifests, k3sWorkload } from './manifests.ts'

const cluster = (over: Partial<ClusterTemplate> = {}): ClusterTemplate => ({
  version: 'v1.31.3+k3s1',
  servers: 1,
  serverArgs: [],
  ...over,
})
const inputOf = (over: Partial<ClusterTemplate> = {}, rest: Partial<K3sInput> = {}): K3sInput => ({
  name: 'pool-ci-1',
  namespace: 'kobe-system',
  backend: { type: 'k3s' },
  cluster: cluster(over),
  ...rest,
})
const WITH_DATASTORE = {
  type: 'k3s' as const,
  datastore: { secretRef: 'pg', secretKey: 'url', goldenTemplates: false },
}
const SECRETS = {
  token: 'SECRET-token',
  nodePassword: 'SECRET-node',
  authorities: { 'server-ca.crt': 'SECRET-ca' },
  datastoreEndpoint: 'postgres://k3s:SECRET@db/k3s',
}

// biome-ignore lint/suspicious/noExplicitAny: manifests are looked into by path
function part(manifests: readonly Manifest[], kind: string): any {
  return manifests.find((manifest) => manifest.kind === kind)
}
const server = (over: Partial<ClusterTemplate> = {}, rest: Partial<K3sInput> = {}) =>
  part(k3sWorkload(inputOf(over, rest)), 'StatefulSet').spec
const pod = (over: Partial<ClusterTemplate> = {}, rest: Partial<K3sInput> = {}) => server(over, rest).template.spec
const args = (over: Partial<ClusterTemplate> = {}): string[] => pod(over).containers[0].args

describe('a k3s pool without gates', () => {
  it('waits for every server and agent as a node, for DNS, and for a token that works in the cluster', () => {
    const gates = (over: Partial<ClusterTemplate>) => k3sRenderer.defaultGates(cluster(over))
    expect(gates({})).toEqual([{ type: 'NodesReady', count: 1 }, { type: 'DNSHealthy' }, { type: 'InClusterToken' }])
    expect(gates({ servers: 3, agents: 2 })[0]).toEqual({ type: 'NodesReady', count: 5 })
  })
})

describe('the manifests of a k3s member', () => {
  it('are Secrets, Service and StatefulSet, in this order, named after the member', () => {
    expect(k3sManifests(inputOf(), SECRETS).map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual([
      'Secret pool-ci-1-token',
      'Secret pool-ci-1-authorities',
      'Service pool-ci-1-server',
      'StatefulSet pool-ci-1-server',
    ])
  })

  it('gain what the template asks for', () => {
    const input = inputOf(
      { servers: 3, agents: 2, registryMirrors: { 'docker.io': ['https://mirror'] } },
      { backend: WITH_DATASTORE },
    )
    expect(k3sManifests(input, SECRETS).map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual([
      'Secret pool-ci-1-token',
      'Secret pool-ci-1-authorities',
      'Secret pool-ci-1-datastore',
      'ConfigMap pool-ci-1-registries',
      'Service pool-ci-1-server',
      'StatefulSet pool-ci-1-server',
      'PodDisruptionBudget pool-ci-1-server',
      'Deployment pool-ci-1-agent',
    ])
  })

  it('belong to the instance, are labelled, and have distinct names by kind', () => {
    const owner = { apiVersion: 'kobe.kunobi.ninja/v1alpha1', kind: 'ClusterInstance', name: 'pool-ci-1', uid: 'u' }
    for (const { metadata } of k3sManifests(inputOf({ agents: 1 }, { owner }), SECRETS)) {
      expect(metadata).toMatchObject({
        namespace: 'kobe-system',
        ownerReferences: [owner],
        labels: { 'app.kubernetes.io/managed-by': 'kobe-operator', 'kobe.kunobi.ninja/cluster': 'pool-ci-1' },
      })
    }
  })

  it('hold secret values in Secrets only, never on a command line', () => {
    const others = k3sManifests(inputOf({ agents: 1 }, { backend: WITH_DATASTORE }), SECRETS).filter(
      ({ kind }) => kind !== 'Secret',
    )
    expect(JSON.stringify(others)).not.toContain('SECRET')
    expect(JSON.stringify(pod({}, { backend: WITH_DATASTORE }).containers[0].args)).not.toContain('datastore')
    expect(pod({}, { backend: WITH_DATASTORE }).containers[0].env).toEqual([
      {
        name: 'K3S_DATASTORE_ENDPOINT',
        valueFrom: { secretKeyRef: { name: 'pool-ci-1-datastore', key: 'endpoint' } },
      },
    ])
  })

  it('give no pod a credential of the host cluster', () => {
    const workload = k3sWorkload(inputOf({ agents: 1 }))
    for (const kind of ['StatefulSet', 'Deployment']) {
      const { spec } = part(workload, kind).spec.template
      expect(spec.automountServiceAccountToken).toBe(false)
      expect(spec).not.toHaveProperty('serviceAccountName')
    }
  })
})

describe('the server of a k3s member', () => {
  it.each([
    ['v1.31.3+k3s1', 'rancher/k3s:v1.31.3-k3s1'],
    ['v1.31.3', 'rancher/k3s:v1.31.3'],
  ])('of version %s runs image %s', (version, image) => {
    expect(pod({ version }).containers[0].image).toBe(image)
  })

  it('answers for the names of its Service, in the domain of the host', () => {
    expect(args()).toEqual([
      'server',
      '--tls-san=pool-ci-1-server.kobe-system.svc',
      '--tls-san=pool-ci-1-server.kobe-system.svc.cluster.local',
      '--token-file=/var/lib/kobe/token/token',
      '--write-kubeconfig-mode=600',
      '--service-cidr=10.243.0.0/20',
      '--cluster-cidr=10.248.0.0/20',
    ])
    expect(args({ clusterDomain: 'example.org' })[2]).toBe('--tls-san=pool-ci-1-server.kobe-system.svc.example.org')
  })

  it('takes taints before the arguments of the user', () => {
    const taints = [
      { key: 'a', value: 'b', effect: 'NoSchedule' as const },
      { key: 'c', effect: 'NoExecute' as const },
    ]
    expect(args({ taints, serverArgs: ['--disable=traefik'] }).slice(-3)).toEqual([
      '--node-taint=a=b:NoSchedule',
      '--node-taint=c=:NoExecute',
      '--disable=traefik',
    ])
  })

  it.each([
    [1, undefined],
    [2, 1],
    [3, 2],
    [5, 4],
  ])('of %i keeps %s available', (servers, minAvailable) => {
    const budget = part(k3sWorkload(inputOf({ servers })), 'PodDisruptionBudget')
    expect(budget?.spec.minAvailable).toBe(minAvailable)
  })

  it.each([
    [undefined, undefined],
    [{ storageType: 'emptyDir' }, undefined],
    [{}, '10Gi'],
    [{ storageType: 'dynamic', storageRequestSize: '5Gi', storageClassName: 'fast' }, '5Gi'],
  ])('with persistence %j claims %s', (persistence, size) => {
    const spec = server(persistence === undefined ? {} : { persistence })
    expect(spec.volumeClaimTemplates?.[0].spec.resources.requests.storage).toBe(size)
    const inPod = spec.template.spec.volumes.some(({ name }: { name: string }) => name === 'data')
    expect(inPod).toBe(size === undefined)
  })

  it('is reached by a Service of the type that is asked for', () => {
    const service = part(k3sWorkload(inputOf({ expose: { exposeType: 'NodePort', nodePort: 30_001 } })), 'Service')
    expect(service.spec).toMatchObject({ type: 'NodePort', ports: [{ port: 6443, nodePort: 30_001 }] })
    expect(part(k3sWorkload(inputOf()), 'Service').spec.type).toBe('ClusterIP')
  })

  it('shares its kubelet directory when told to, each pod in a folder of its own', () => {
    const kubeletSharedMount = { server: true, agents: false, hostPathRoot: '/srv' }
    const spec = pod({ kubeletSharedMount })
    const volume = spec.volumes.find(({ name }: { name: string }) => name === 'kubelet-root')
    expect(volume.hostPath).toEqual({ path: '/srv/pool-ci-1/kubelets', type: 'DirectoryOrCreate' })
    expect(spec.containers[0].env[0].name).toBe('POD_NAME')
    const agents = part(k3sWorkload(inputOf({ agents: 1, kubeletSharedMount })), 'Deployment').spec.template.spec
    expect(JSON.stringify(agents)).not.toContain('kubelet-root')
  })

  it('mounts every volume it declares, and declares every volume it mounts', () => {
    const full = {
      kubeletSharedMount: { server: true, agents: true, hostPathRoot: '/srv' },
      registryMirrors: { a: ['b'] },
    }
    const spec = pod(full)
    const mounted = [...spec.initContainers, ...spec.containers].flatMap(({ volumeMounts }) =>
      volumeMounts.map(({ name }: { name: string }) => name),
    )
    expect(new Set(mounted)).toEqual(new Set(spec.volumes.map(({ name }: { name: string }) => name)))
  })
})

describe('the placement of a k3s member', () => {
  it('follows labels, expressions and tolerations', () => {
    const matchExpressions = [{ key: 'zone', operator: 'In' as const, values: ['a'] }]
    const node = { selector: { matchLabels: { pool: 'ci' }, matchExpressions }, tolerations: [{ key: 'ci' }] }
    expect(pod({ placement: { node } })).toMatchObject({
      nodeSelector: { pool: 'ci' },
      tolerations: [{ key: 'ci' }],
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions }] },
        },
      },
    })
  })

  it.each([
    ['Required', 'requiredDuringSchedulingIgnoredDuringExecution'],
    ['Preferred', 'preferredDuringSchedulingIgnoredDuringExecution'],
  ] as const)('spread %s keeps members apart by %s', (strength, field) => {
    const spread = { strength, topologyKey: 'zone' }
    expect(Object.keys(pod({ placement: { interInstance: { spread } } }).affinity.podAntiAffinity)).toEqual([field])
  })

  it('SameHost runs agents on the node of their server', () => {
    const input = inputOf({ agents: 1, placement: { intraInstance: { mode: 'SameHost' } } })
    const { affinity } = part(k3sWorkload(input), 'Deployment').spec.template.spec
    expect(affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].labelSelector.matchLabels).toEqual({
      'kobe.kunobi.ninja/cluster': 'pool-ci-1',
      'kobe.kunobi.ninja/role': 'server',
    })
  })
})

describe('the fingerprint of a k3s pool', () => {
  it('is the workload of placeholder names, without Secrets', () => {
    const text = JSON.stringify(k3sRenderer.fingerprint({ type: 'k3s' }, cluster({ agents: 1 })))
    expect(text).toContain(`"name":"${FINGERPRINT_NAME}-server"`)
    expect(text).not.toContain('"kind":"Secret"')
  })

  it.each<[string, Partial<ClusterTemplate>]>([
    ['version', { version: 'v1.31.4+k3s1' }],
    ['agents', { agents: 1 }],
    ['mirrors', { registryMirrors: { 'docker.io': ['https://mirror'] } }],
    ['expose', { expose: { exposeType: 'NodePort' } }],
    ['persistence', { persistence: {} }],
  ])('changes with %s', (_what, over) => {
    const print = (template: ClusterTemplate) => JSON.stringify(k3sRenderer.fingerprint({ type: 'k3s' }, template))
    expect(print(cluster(over))).not.toBe(print(cluster()))
  })

  it('is pinned: a change of it rolls every pool of this backend, so it has to be meant', () => {
    const template = { version: '1.32', servers: 1, serverArgs: [] }
    const text = canonicalJson(k3sRenderer.fingerprint({ type: 'k3s' }, template))
    expect(createHash('sha256').update(text).digest('hex').slice(0, 16)).toBe('2a814c3aaed73817')
  })
})
