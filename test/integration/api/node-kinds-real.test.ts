import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { withManagedClusterDefaults, withNodeOperationDefaults } from '../../../src/api/v1alpha1/defaults.ts'
import { API_VERSION } from '../../../src/api/v1alpha1/resources.ts'
import { hasRealPair, type RealPair, startRealPair } from '../../support/real-pair.ts'
import { hasKubectl, KUBECTL, ok, type Result, ROOT, run } from '../../support/run.ts'

const MISSING = 'skipped: needs kube-apiserver and etcd (`npm run assets`) and kubectl'

const group = (over: object = {}): object => ({ name: 'workers', type: 'worker', ...over })

const cluster = (name: string, spec: object = {}) => ({
  kind: 'ManagedCluster',
  metadata: { name },
  spec: {
    connection: { kubeconfigSecretRef: { name: 'k' } },
    provider: { type: 'simulated' },
    nodeGroups: [group()],
    ...spec,
  },
})

const operation = (name: string, spec: object = {}) => ({
  kind: 'NodeOperation',
  metadata: { name },
  spec: { type: 'Rollout', clusterRef: { name: 'prod' }, ...spec },
})

describe.skipIf(!hasRealPair || !hasKubectl)(
  `ManagedCluster and NodeOperation on a real API server${hasRealPair && hasKubectl ? '' : ` (${MISSING})`}`,
  () => {
    let real: RealPair

    beforeAll(async () => {
      real = await startRealPair()
      await ok(KUBECTL, ['--kubeconfig', real.kubeconfigPath, 'create', 'namespace', 'kobe-system'])
      const applied = await raw(['apply', '-k', join(ROOT, 'deploy', 'crds')])
      expect(applied).toMatchObject({ code: 0, stderr: '' })
      await raw(['wait', '--for=condition=Established', '--timeout=30s', 'crd', '--all'])
    })
    afterAll(async () => {
      await real?.stop()
    })

    const raw = (args: readonly string[], input?: string): Promise<Result> =>
      run(KUBECTL, ['--kubeconfig', real.kubeconfigPath, ...args], input === undefined ? {} : { input })
    const create = (object: object): Promise<Result> =>
      raw(
        ['-n', 'kobe-system', 'create', '--validate=strict', '-o', 'json', '-f', '-'],
        JSON.stringify({ apiVersion: API_VERSION, ...object }),
      )
    const merge = (target: string, patch: object, ...more: string[]): Promise<Result> =>
      raw(['-n', 'kobe-system', 'patch', target, '--type=merge', '-p', JSON.stringify(patch), ...more])

    it('fills exactly the defaults that withDefaults fills', async () => {
      const wanted = cluster('defaults', { healthChecks: [{ name: 'x', type: 'http', http: { url: 'https://x' } }] })
      const created = await create(wanted)
      expect(created.code, created.stderr).toBe(0)
      expect(JSON.parse(created.stdout).spec).toEqual(withManagedClusterDefaults(wanted as never).spec)
      const run = operation('defaults')
      const stored = JSON.parse((await create(run)).stdout)
      expect(stored.spec).toEqual(withNodeOperationDefaults(run as never).spec)
    })

    it.each([
      ['no connection', cluster('bad', { connection: {} }), 'exactly one of kubeconfigSecretRef and inCluster'],
      [
        'two connections',
        cluster('bad', { connection: { kubeconfigSecretRef: { name: 'k' }, inCluster: true } }),
        'exactly one of kubeconfigSecretRef and inCluster',
      ],
      ['no group', cluster('bad', { nodeGroups: [] }), 'spec.nodeGroups'],
      ['two groups of one name', cluster('bad', { nodeGroups: [group(), group()] }), 'Duplicate value'],
      ['an amount of 0', cluster('bad', { nodeGroups: [group({ maxUnavailable: 0 })] }), 'maxUnavailable'],
      ['an amount of 0 %', cluster('bad', { nodeGroups: [group({ maxUnavailable: '0%' })] }), 'maxUnavailable'],
      ['an amount of 101 %', cluster('bad', { nodeGroups: [group({ maxUnavailable: '101%' })] }), 'maxUnavailable'],
      [
        'two control nodes at a time',
        cluster('bad', { nodeGroups: [group({ name: 'control', type: 'control', maxUnavailable: 2 })] }),
        'maxUnavailable of control and etcd nodes is 1',
      ],
      [
        'labels of machines without a Node',
        cluster('bad', { nodeGroups: [group({ name: 'etcd', type: 'etcd', selector: { matchLabels: { a: 'b' } } })] }),
        'have no Node and so no labels',
      ],
      [
        'a group of workers called control',
        cluster('bad', { nodeGroups: [group({ name: 'control' })] }),
        'when that is its type',
      ],
      ['an order of unknown groups', cluster('bad', { order: ['gpu'] }), 'order names the types'],
      [
        'a check without its block',
        cluster('bad', { healthChecks: [{ name: 'x', type: 'http' }] }),
        'a check of type http has a block http',
      ],
      [
        'a token in the clear',
        cluster('bad', {
          healthChecks: [{ name: 'x', type: 'http', http: { url: 'http://x', bearerTokenSecretRef: { name: 't' } } }],
        }),
        'a bearer token is only sent over https',
      ],
      [
        'a password in a URL',
        cluster('bad', { healthChecks: [{ name: 'x', type: 'http', http: { url: 'https://me:secret@x' } }] }),
        'http.url',
      ],
      [
        'a provider block of another type',
        cluster('bad', { provider: { type: 'simulated', cloudstack: {} } }),
        'provider.cloudstack is only for type cloudstack',
      ],
      ['a disk of nothing', cluster('bad', { nodeGroups: [group({ settings: { rootDiskSizeGB: 0 } })] }), 'rootDisk'],
      ['an upgrade to nowhere', operation('bad', { type: 'Upgrade' }), 'an Upgrade needs the version'],
      ['a rollout of a version', operation('bad', { version: 'v1' }), 'version is only for'],
      ['a scale without a size', operation('bad', { type: 'Scale' }), 'a Scale needs either the size'],
      ['a scale to nothing', operation('bad', { type: 'Scale', size: 0 }), 'spec.size'],
      [
        'a start of two at a time',
        operation('bad', { type: 'Start', maxUnavailable: 2 }),
        'maxUnavailable is only for',
      ],
      ['an amount of words', operation('bad', { maxUnavailable: 'some' }), 'maxUnavailable'],
      [
        'a stop that stores settings',
        operation('bad', { type: 'Stop', settingsStored: false }),
        'settingsStored: false is only for',
      ],
    ])('refuses %s, with the reason', async (_what, object, expected) => {
      const created = await create(object)
      expect(created.code).toBe(1)
      expect(created.stderr).toContain(expected)
    })

    it('lets an operation be cancelled, and nothing else of it be changed', async () => {
      expect(await create(operation('fixed', { settingsStored: false }))).toMatchObject({ code: 0 })
      for (const spec of [{ type: 'Stop' }, { maxUnavailable: 2 }, { clusterRef: { name: 'x' } }, { selector: {} }]) {
        const patched = await merge('nodeoperation/fixed', { spec })
        expect(patched.stderr).toContain(`${Object.keys(spec)[0]} is immutable`)
      }
      expect(await merge('nodeoperation/fixed', { spec: { cancel: true, settingsStored: true } })).toMatchObject({
        code: 0,
      })
      expect((await merge('nodeoperation/fixed', { spec: { cancel: false } })).stderr).toContain('cannot be taken back')
      expect((await merge('nodeoperation/fixed', { spec: { settingsStored: false } })).stderr).toContain(
        'cannot be taken back',
      )
    })

    it('shows the columns, and selects by state and cluster', async () => {
      expect(await create(cluster('prod', { nodeGroups: [group({ maxUnavailable: '10%' })] }))).toMatchObject({
        code: 0,
      })
      expect(await create(operation('roll'))).toMatchObject({ code: 0 })
      expect(
        await merge(
          'managedcluster/prod',
          { status: { state: 'Alert', lastError: 'w1: no room' } },
          '--subresource=status',
        ),
      ).toMatchObject({ code: 0 })
      const counts = { total: 3, done: 1, outOfDate: 2, inFlight: 1, failed: 0, skipped: 0 }
      expect(
        await merge('nodeoperation/roll', { status: { phase: 'Running', counts } }, '--subresource=status'),
      ).toMatchObject({ code: 0 })
      expect((await raw(['-n', 'kobe-system', 'get', 'mc', '--field-selector=status.state=Alert'])).stdout).toMatch(
        /NAME +STATE +OPERATION +ERROR +AGE\nprod +Alert +w1: no room/,
      )
      expect((await raw(['-n', 'kobe-system', 'get', 'nop', '--field-selector=status.phase=Running'])).stdout).toMatch(
        /NAME +CLUSTER +TYPE +PHASE +DONE +LEFT +AGE\nroll +prod +Rollout +Running +1 +2/,
      )
    })
  },
)
