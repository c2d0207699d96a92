import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { canonicalJson } from '../../../core/fleet/canonical-json.ts'
import { FINGERPRINT_NAME, type Manifest } from '../../render/manifest.ts'
import { vkobeRenderer } from '../vkobe-renderer.ts'
import { imageTag, type VkobeInput } from './input.ts'
import { vkobeManifests, vkobeWorkload } from './manifests.ts'

const inputOf = (over: Partial<VkobeInput> = {}): VkobeInput => ({
  name: 'pool-ci-1',
  namespace: 'kobe-system',
  backend: { type: 'vkobe' },
  cluster: { version: '1.32', servers: 1, serverArgs: [] },
  syncImage: 'registry.example/vkobe:1',
  store: { endpoints: ['https://etcd:2379'], tls: true },
  ...over,
})
const SECRETS = {
  certificates: { 'ca.key': 'SECRET-ca' },
  storeTls: { 'ca.crt': 'SECRET-1', 'tls.crt': 'SECRET-2', 'tls.key': 'SECRET-3' },
}
// biome-ignore lint/suspicious/noExplicitAny: manifests are looked into by path
const part = (manifests: readonly Manifest[], kind: string): any => manifests.find((manifest) => manifest.kind === kind)
const pod = (over: Partial<VkobeInput> = {}) => part(vkobeWorkload(inputOf(over)), 'Deployment').spec.template.spec

describe('the manifests of a vkobe member', () => {
  it('come in the order in which they are needed', () => {
    expect(vkobeManifests(inputOf(), SECRETS).map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual([
      'Secret pool-ci-1-certs',
      'Secret pool-ci-1-store',
      'Namespace pool-ci-1-guest',
      'ServiceAccount pool-ci-1-vkobe',
      'Role pool-ci-1-vkobe',
      'RoleBinding pool-ci-1-vkobe',
      'ClusterRole pool-ci-1-vkobe-nodes',
      'ClusterRoleBinding pool-ci-1-vkobe-nodes',
      'ConfigMap pool-ci-1-config',
      'Service pool-ci-1-api',
      'Deployment pool-ci-1-vkobe',
    ])
  })

  it('hold secret values in Secrets only', () => {
    const others = vkobeManifests(inputOf(), SECRETS).filter(({ kind }) => kind !== 'Secret')
    expect(JSON.stringify(others)).not.toContain('SECRET')
  })

  it('give a credential of the host to the syncer alone, for its own namespace', () => {
    expect(pod().automountServiceAccountToken).toBe(false)
    const holders = pod().containers.filter(({ volumeMounts }: { volumeMounts: { name: string }[] }) =>
      volumeMounts.some(({ name }) => name === 'host-token'),
    )
    expect(holders.map(({ name }: { name: string }) => name)).toEqual(['vkobe'])
    expect(part(vkobeWorkload(inputOf()), 'Role').metadata.namespace).toBe('pool-ci-1-guest')
    expect(part(vkobeWorkload(inputOf()), 'ClusterRole').rules).toEqual([
      { apiGroups: [''], resources: ['nodes'], verbs: ['get', 'list', 'watch'] },
    ])
  })

  it('run every container without privileges', () => {
    for (const { securityContext } of pod().containers) {
      expect(securityContext).toMatchObject({ runAsNonRoot: true, capabilities: { drop: ['ALL'] } })
    }
  })

  it('allow only the kinds that are copied', () => {
    const dataStoreRef = { name: 'main' }
    const vkobe = { dataStoreRef, version: '1.32', syncers: ['services', 'ingresses'], proxyPort: 1, metricsPort: 2 }
    const { rules } = part(vkobeWorkload(inputOf({ backend: { type: 'vkobe', vkobe } })), 'Role')
    expect(rules.map(({ resources }: { resources: string[] }) => resources)).toEqual([['services'], ['ingresses']])
  })

  it('keep each member under a prefix of its own in the store', () => {
    const { args } = pod().containers[0]
    expect(args).toContain('--etcd-prefix=/kobe/pool-ci-1/')
    expect(args).toContain('--etcd-certfile=/etc/kobe/store/tls.crt')
    const plain = pod({ store: { endpoints: ['http://a', 'http://b'], tls: false } }).containers[0].args
    expect(plain[0]).toBe('--etcd-servers=http://a,http://b')
    expect(plain.join()).not.toContain('etcd-certfile')
  })

  it.each([
    ['1.32', 'v1.32.0'],
    ['v1.32.4', 'v1.32.4'],
  ])('of version %s run images %s', (version, tag) => {
    expect(imageTag(version)).toBe(tag)
  })
})

describe('the fingerprint of a vkobe pool', () => {
  it('is the workload of placeholder names, without Secrets and without the image of the syncer', () => {
    const text = JSON.stringify(vkobeRenderer.fingerprint({ type: 'vkobe' }, inputOf().cluster))
    expect(text).toContain(`"image":"${FINGERPRINT_NAME}"`)
    expect(text).not.toContain('"kind":"Secret"')
  })

  it('is pinned: a change of it rolls every pool of this backend, so it has to be meant', () => {
    const template = { version: '1.32', servers: 1, serverArgs: [] }
    const text = canonicalJson(vkobeRenderer.fingerprint({ type: 'vkobe' }, template))
    expect(createHash('sha256').update(text).digest('hex').slice(0, 16)).toBe('29f00f0ad0ca9537')
  })
})
