import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ClusterLeaseInput } from '../../../src/api/v1alpha1/cluster-lease.ts'
import type { ClusterPoolInput } from '../../../src/api/v1alpha1/cluster-pool.ts'
import { customResourceDefinitions } from '../../../src/api/v1alpha1/crds.ts'
import { withClusterPoolDefaults } from '../../../src/api/v1alpha1/defaults.ts'
import { API_VERSION } from '../../../src/api/v1alpha1/resources.ts'
import { hasRealPair, type RealPair, startRealPair } from '../../support/real-pair.ts'
import { hasKubectl, KUBECTL, ok, type Result, ROOT, run } from '../../support/run.ts'

const CRDS = join(ROOT, 'deploy', 'crds')
const MISSING = 'skipped: needs kube-apiserver and etcd (`npm run assets`) and kubectl'

describe.skipIf(!hasRealPair || !hasKubectl)(
  `CRDs on a real API server${hasRealPair && hasKubectl ? '' : ` (${MISSING})`}`,
  () => {
    let real: RealPair

    beforeAll(async () => {
      real = await startRealPair()
      await kubectl('create', 'namespace', 'kobe-system')
    })
    afterAll(async () => {
      await real?.stop()
    })

    const raw = (args: readonly string[], input?: string): Promise<Result> =>
      run(KUBECTL, ['--kubeconfig', real.kubeconfigPath, ...args], input === undefined ? {} : { input })
    const kubectl = (...args: string[]): Promise<string> => ok(KUBECTL, ['--kubeconfig', real.kubeconfigPath, ...args])
    const create = (object: object): Promise<Result> =>
      raw(
        ['-n', 'kobe-system', 'create', '-o', 'json', '-f', '-'],
        JSON.stringify({ apiVersion: API_VERSION, ...object }),
      )
    const merge = (target: string, patch: object, ...more: string[]): Promise<Result> =>
      raw(['-n', 'kobe-system', 'patch', target, '--type=merge', '-p', JSON.stringify(patch), ...more])

    const pool = (name: string, spec: object = {}): object => ({
      kind: 'ClusterPool',
      metadata: { name },
      spec: { cluster: { version: 'v1.36.0' }, ...spec },
    })
    const lease = (name: string, spec: Partial<ClusterLeaseInput['spec']> = {}): object => ({
      kind: 'ClusterLease',
      metadata: { name },
      spec: { poolRef: 'ci', ttl: '1h', requester: { type: 'token', identity: 'me' }, ...spec },
    })

    it('accepts the CRDs client-side and server-side, with no warning and no second change', async () => {
      const first = await raw(['apply', '-k', CRDS])
      expect(first).toMatchObject({ code: 0, stderr: '' })
      expect(first.stdout.match(/created/g)).toHaveLength(7)
      const again = await raw(['apply', '-k', CRDS])
      expect(again).toMatchObject({ code: 0, stderr: '' })
      expect(again.stdout.match(/unchanged/g)).toHaveLength(7)
      expect(await raw(['apply', '--server-side', '--force-conflicts', '-k', CRDS])).toMatchObject({
        code: 0,
        stderr: '',
      })
      const names = customResourceDefinitions().map((crd) => `crd/${crd.metadata.name}`)
      const waited = await raw(['wait', '--for=condition=Established', '--timeout=30s', ...names])
      expect(waited.code, waited.stderr).toBe(0)
      const conditions = await kubectl(
        'get',
        'crd',
        '-o',
        'jsonpath={.items[*].status.conditions[?(@.status=="False")]}',
      )
      expect(conditions).toBe('')
    })

    it('knows the short names, the category and the field descriptions', async () => {
      for (const name of ['cp', 'ci', 'cl', 'bc', 'ap', 'mc', 'nop', 'kobe']) {
        expect(await raw(['get', name, '-A'])).toMatchObject({ code: 0, stderr: 'No resources found\n' })
      }
      expect(await kubectl('explain', 'clusterpool.spec.upgradePolicy.maxSurge')).toContain('above the warm target')
    })

    it('accepts every example under strict validation', async () => {
      const examples = join(ROOT, 'examples')
      const applied = await raw(['apply', '--validate=strict', '-f', examples])
      expect(applied).toMatchObject({ code: 0, stderr: '' })
      expect(await raw(['diff', '-f', examples])).toMatchObject({ code: 0 })
    })

    it('fills exactly the defaults that withDefaults fills', async () => {
      const input: ClusterPoolInput = {
        metadata: { name: 'defaults' },
        spec: {
          cluster: { version: 'v1', placement: { interInstance: { spread: { strength: 'Required' } } } },
          scaling: {},
          backend: { type: 'vkobe', vkobe: { dataStoreRef: { name: 'store' }, kcm: {} } },
          bootstraps: [{ name: 'one' }],
          diagnostics: { storage: 's3://bucket/x' },
          snapshot: {},
        },
      }
      const created = await create({ kind: 'ClusterPool', ...input })
      expect(created.code, created.stderr).toBe(0)
      expect(JSON.parse(created.stdout).spec).toEqual(withClusterPoolDefaults(input).spec)
    })

    it('takes null for a field that is left out', async () => {
      const created = await create(pool('nulls', { scaling: null, upgradePolicy: null, snapshot: null }))
      expect(created.code, created.stderr).toBe(0)
      expect(JSON.parse(created.stdout).spec).toMatchObject({ upgradePolicy: { maxRecycling: 1, maxSurge: 1 } })
      expect(JSON.parse(created.stdout).spec).not.toHaveProperty('scaling')
    })

    it.each([
      ['a missing version', pool('bad', { cluster: {} }), 'spec.cluster.version: Required value'],
      ['a negative size', pool('bad', { size: -1 }), 'spec.size'],
      ['an unknown backend', pool('bad', { backend: { type: 'kind' } }), 'spec.backend.type: Unsupported value'],
      [
        'capi without its block',
        pool('bad', { backend: { type: 'capi' } }),
        'backend.capi is required when type is capi',
      ],
      ['a duration in days', pool('bad', { ttl: '1d' }), 'spec.ttl'],
      ['a duration of zero', pool('bad', { ttl: '0h0m' }), 'spec.ttl'],
      ['a name too long for its members', pool('a'.repeat(51)), 'at most 50'],
      ['a name with a dot', pool('a.b'), 'the name of a pool is part of the names of its members'],
      ['a gate without its name', pool('bad', { readinessGates: [{ type: 'CRDExists' }] }), 'readinessGates[0]'],
      ['two addons of one name', pool('bad', { addons: [{ name: 'a' }, { name: 'a' }] }), 'Duplicate value'],
      ['an instance of nothing', { kind: 'ClusterInstance', metadata: { name: 'bad' }, spec: {} }, 'needs poolRef'],
      ['a lease of an impossible pool', lease('bad', { poolRef: 'Not A Name' }), 'spec.poolRef'],
      [
        'a policy without authentication',
        { kind: 'AccessPolicy', metadata: { name: 'bad' }, spec: { auth: {}, rules: [] } },
        'spec.auth',
      ],
    ])('refuses %s and names the field', async (_what, object, expected) => {
      const created = await create(object)
      expect(created.code).toBe(1)
      expect(created.stderr).toContain(expected)
    })

    it('keeps the inputs of a binding as they were', async () => {
      expect(await create(lease('fixed'))).toMatchObject({ code: 0 })
      const changes = [
        { poolRef: 'other' },
        { ttl: '2h' },
        { requester: { identity: 'you' } },
        { cleanupMode: 'VerifiedDestroy' },
        { allowStale: false },
        { alias: 'new' },
      ]
      for (const spec of changes) {
        const patched = await merge('clusterlease/fixed', { spec })
        expect(patched.stderr).toContain(`${Object.keys(spec)[0]} is immutable`)
      }
      expect(await merge('clusterlease/fixed', { spec: { priority: 90 } })).toMatchObject({ code: 0 })
    })

    it('lets no one unset the cleanup mode', async () => {
      expect(await create(lease('verified', { cleanupMode: 'VerifiedDestroy' }))).toMatchObject({ code: 0 })
      const patched = await merge('clusterlease/verified', { spec: { cleanupMode: null } })
      expect(patched.stderr).toContain('cleanupMode is immutable')
    })

    it('keeps an instance in its pool', async () => {
      const instance = {
        kind: 'ClusterInstance',
        metadata: { name: 'member' },
        spec: { poolRef: { name: 'ci', uid: 'u' } },
      }
      expect(await create(instance)).toMatchObject({ code: 0 })
      for (const poolRef of [{ name: 'other' }, null]) {
        const spec = { poolRef, backend: { type: 'k3s' }, cluster: { version: 'v1' } }
        expect((await merge('clusterinstance/member', { spec })).stderr).toContain('poolRef is immutable')
      }
    })

    it('separates status from spec, and scales', async () => {
      expect(await create(pool('scaled'))).toMatchObject({ code: 0 })
      const now = '2026-01-02T03:04:05Z'
      const condition = { type: 'Ready', status: 'True', reason: 'AtTarget', message: '', lastTransitionTime: now }
      const status = { phase: 'Healthy', ready: 3, conditions: [condition] }
      expect(await merge('clusterpool/scaled', { status }, '--subresource=status')).toMatchObject({ code: 0 })
      await kubectl('-n', 'kobe-system', 'scale', 'clusterpool/scaled', '--replicas=5')
      const stored = JSON.parse(await kubectl('-n', 'kobe-system', 'get', 'cp', 'scaled', '-o', 'json'))
      expect(stored.spec.size).toBe(5)
      expect(stored.status).toMatchObject({ phase: 'Healthy', ready: 3, leased: 0, quarantined: 0, failures: [] })
      const table = await kubectl('-n', 'kobe-system', 'get', 'cp', 'scaled')
      expect(table.split('\n')[0]?.trim().split(/\s+/)).toEqual([
        'NAME',
        'PHASE',
        'READY',
        'LEASED',
        'CREATING',
        'FAILURES',
        'AGE',
      ])
      expect(table).toMatch(/scaled\s+Healthy\s+3\s+0\s+0\s+0/)
    })

    it('refuses a status that is not one', async () => {
      const bad = await merge(
        'clusterpool/scaled',
        { status: { phase: 'Great', nextAttemptAt: 'soon' } },
        '--subresource=status',
      )
      expect(bad.stderr).toContain('status.phase: Unsupported value')
      expect(bad.stderr).toContain('status.nextAttemptAt')
    })

    it('selects by phase and pool', async () => {
      const names = (selector: string) =>
        kubectl('-n', 'kobe-system', 'get', 'clusterlease', `--field-selector=${selector}`, '-o', 'name')
      expect(await names('spec.poolRef=ci-small')).toBe('clusterlease.kobe.kunobi.ninja/lease-0123456789ab\n')
      expect(await names('status.phase=Bound')).toBe('')
    })
  },
)
