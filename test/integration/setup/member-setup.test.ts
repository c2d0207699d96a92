/** The setup of members against the embedded control plane, and against the real API server where it is at hand. */
import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CONFIG_MAPS, DEPLOYMENTS, NAMESPACES, NODES, PODS, type Pod } from '../../../src/api/core-resources.ts'
import type { ResourceType } from '../../../src/api/resource.ts'
import { startControlPlane } from '../../../src/control-plane/index.ts'
import { createMemberSetup, type MemberSetup } from '../../../src/controllers/instance/setup/member-setup.ts'
import { systemClock } from '../../../src/kube/clock.ts'
import { isKubeError } from '../../../src/kube/errors.ts'
import { type ClosableKubeClient, createKubeClient } from '../../../src/kube/kube-client.ts'
import { silentLog } from '../../../src/kube/log.ts'
import { createTestCertificates } from '../../support/certificates.ts'
import { kubeconfigText } from '../../support/kubeconfig.ts'
import { hasRealPair, startRealPair } from '../../support/real-pair.ts'
import {
  bootstrapConfig,
  checkUntilSettled,
  configMap,
  setupRequest,
  WIDGET_DEFINITION,
  widget,
} from './setup-requests.ts'

const WIDGETS: ResourceType = {
  group: 'example.com',
  version: 'v1',
  plural: 'widgets',
  kind: 'Widget',
  namespaced: true,
}

interface Server {
  readonly kubeconfig: string
  stop(): Promise<void>
}

async function startEmbedded(): Promise<Server> {
  const { ca, server, client: admin } = await createTestCertificates()
  const controlPlane = await startControlPlane({ storage: { type: 'memory' }, tls: server, clientCa: ca })
  const base64 = (text: string) => Buffer.from(text).toString('base64')
  const kubeconfig = kubeconfigText(
    controlPlane.url,
    { 'client-certificate-data': base64(admin.cert), 'client-key-data': base64(admin.key) },
    { 'certificate-authority-data': base64(ca) },
  )
  return { kubeconfig, stop: () => controlPlane.close() }
}

async function startReal(): Promise<Server> {
  const { kubeconfigPath, stop } = await startRealPair()
  return { kubeconfig: await readFile(kubeconfigPath, 'utf8'), stop }
}

describe('on the embedded control plane', () => setupRules(startEmbedded))
describe.skipIf(!hasRealPair)('on the real API server', () => setupRules(startReal))

const namespace = (name: string) => `apiVersion: v1\nkind: Namespace\nmetadata: {name: ${name}}\n`

function setupRules(startServer: () => Promise<Server>): void {
  let server: Server
  let kubeconfig: string
  let client: ClosableKubeClient
  let setup: MemberSetup

  const createSetup = () => createMemberSetup({ clock: systemClock, log: silentLog })

  beforeAll(async () => {
    server = await startServer()
    kubeconfig = server.kubeconfig
    client = createKubeClient({ kubeconfig })
    setup = createSetup()
  })
  afterAll(async () => {
    setup?.close()
    client?.close()
    await server?.stop()
  })

  let lastUid = 0
  const request = (...manifests: string[]) =>
    setupRequest(kubeconfig, {
      uid: `uid-${++lastUid}`,
      addons: manifests.map((manifest, index) => ({ name: `addon-${index + 1}`, manifest })),
    })

  test('an addon with a definition and objects of it is installed, twice and after a restart without a trace', async () => {
    const addon = [namespace('web'), WIDGET_DEFINITION, widget('one', 3), configMap('one', 'v', 'web')].join('---\n')
    const asked = request(addon)
    expect(await checkUntilSettled(setup, asked)).toMatchObject({ passed: true })
    const one = await client.get(WIDGETS, { name: 'one', namespace: 'default' })
    expect(one).toMatchObject({ spec: { size: 3 } })

    expect((await setup.check(asked)).passed).toBe(true)
    const restarted = createSetup()
    expect(await checkUntilSettled(restarted, asked)).toMatchObject({ passed: true })
    restarted.close()
    const after = await client.get(WIDGETS, { name: 'one', namespace: 'default' })
    expect(after.metadata).toMatchObject({ uid: one.metadata.uid, resourceVersion: one.metadata.resourceVersion })
    expect((await client.get(CONFIG_MAPS, { name: 'one', namespace: 'web' })).data).toEqual({ key: 'v' })
  })

  test('a changed addon changes what is there and keeps the fields of others', async () => {
    const asked = request(configMap('shared', 'old'))
    await checkUntilSettled(setup, asked)
    const ref = { name: 'shared', namespace: 'default' }
    await client.patch(CONFIG_MAPS, ref, { type: 'merge', body: { data: { mine: 'x' } } }, { fieldManager: 'somebody' })
    expect(
      await checkUntilSettled(setup, { ...asked, addons: [{ name: 'addon-1', manifest: configMap('shared', 'new') }] }),
    ).toMatchObject({ passed: true })
    expect((await client.get(CONFIG_MAPS, ref)).data).toEqual({ key: 'new', mine: 'x' })
  })

  test('a field that the server does not know does not keep an addon from being installed', async () => {
    await checkUntilSettled(setup, request(WIDGET_DEFINITION))
    const asked = request(`${widget('typo')}status: {}\n---\n${configMap('typo')}status: {}\n`)
    expect(await checkUntilSettled(setup, asked)).toMatchObject({ passed: true })
    expect(await checkUntilSettled(setup, { ...asked, uid: 'another-life' })).toMatchObject({ passed: true })
    expect(await client.get(WIDGETS, { name: 'typo', namespace: 'default' })).toMatchObject({ spec: { size: 1 } })
  })

  describe('an addon that the server refuses', () => {
    test('fails with the field that is wrong', async () => {
      await checkUntilSettled(setup, request(WIDGET_DEFINITION))
      const evidence = await checkUntilSettled(setup, request(widget('bad', 'big')))
      expect(evidence).toMatchObject({ passed: false, failed: true })
      expect(evidence.message).toContain('addon addon-1: document 1 (Widget default/bad) was refused')
      expect(evidence.message).toContain('spec.size')
    })

    test('keeps the addons after it from being applied', async () => {
      const evidence = await checkUntilSettled(setup, request('apiVersion: v1\n', configMap('after')))
      expect(evidence).toMatchObject({ failed: true, message: 'addon addon-1: document 1 has no kind' })
      await expect(client.get(CONFIG_MAPS, { name: 'after', namespace: 'default' })).rejects.toSatisfy((error) =>
        isKubeError(error, 'NotFound'),
      )
    })
  })

  test('objects of a kind and in a namespace that come later are waited for', async () => {
    const late = 'apiVersion: late.example.com/v1\nkind: Late\nmetadata: {name: a}\n'
    expect((await setup.check(request(late))).message).toContain('waiting for the cluster to know kind Late')

    const asked = request(configMap('one', 'v', 'later'))
    const evidence = await setup.check(asked)
    expect(evidence).toMatchObject({ passed: false, message: expect.stringContaining('later') })
    expect(evidence.failed).toBeUndefined()
    await client.create(NAMESPACES, { metadata: { name: 'later' } })
    expect(await checkUntilSettled(setup, asked)).toMatchObject({ passed: true })
  })

  describe('gates', () => {
    test('are met by objects as the API server keeps them', async () => {
      await client.create(NODES, { metadata: { name: 'n1' } })
      const asked = {
        ...request(WIDGET_DEFINITION, namespace('apps')),
        readinessGates: [
          { type: 'AddonsReady' },
          { type: 'CRDExists', name: 'widgets.example.com' },
          { type: 'NodesReady', count: 1 },
          { type: 'DeploymentReady', name: 'api', namespace: 'apps' },
        ] as const,
      }
      expect((await checkUntilSettled(setup, asked, 'NodesReady')).message).toBe('gate NodesReady: 0 of 1 nodes Ready')
      const ready = { status: { conditions: [{ type: 'Ready', status: 'True' }] } }
      await client.patch(NODES, { name: 'n1' }, { type: 'merge', body: ready }, { subresource: 'status' })
      expect((await setup.check(asked)).message).toBe('gate DeploymentReady: Deployment apps/api does not exist')
      const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } }
      await client.create(DEPLOYMENTS, {
        metadata: { name: 'api', namespace: 'apps' },
        spec: { replicas: 2, selector: { matchLabels: { a: 'b' } }, template },
      })
      expect((await setup.check(asked)).message).toContain('0 of 2 replicas of Deployment apps/api ready')
      const status = { status: { replicas: 2, readyReplicas: 1 } }
      const ref = { name: 'api', namespace: 'apps' }
      await client.patch(DEPLOYMENTS, ref, { type: 'merge', body: status }, { subresource: 'status' })
      expect((await setup.check(asked)).passed).toBe(true)
    })

    test('SchedulingProbe makes a valid pod and removes it once it runs', async () => {
      const asked = { ...request(), readinessGates: [{ type: 'SchedulingProbe' }] as const }
      const ref = { name: 'kobe-readiness-probe-pool-ci-1', namespace: 'kube-system' }
      expect((await setup.check(asked)).message).toContain('was made')
      const running: Pod['status'] = { phase: 'Running' }
      await client.patch(PODS, ref, { type: 'merge', body: { status: running } }, { subresource: 'status' })
      expect((await setup.check(asked)).passed).toBe(true)
      await expect(client.get(PODS, ref)).rejects.toSatisfy((error) => isKubeError(error, 'NotFound'))
    })

    test('InClusterToken and DNSHealthy answer in words where nothing runs', async () => {
      const asked = { ...request(), readinessGates: [{ type: 'DNSHealthy' }] as const }
      expect((await setup.check(asked)).message).toBe('gate DNSHealthy: Endpoints kube-system/kube-dns does not exist')
      const token = { ...request(), readinessGates: [{ type: 'InClusterToken', serviceAccount: 'none' }] as const }
      expect(await setup.check(token)).toMatchObject({
        passed: false,
        message: expect.stringContaining('InClusterToken'),
      })
    })
  })

  test('files of a bootstrap are applied with their parameters', async () => {
    const config = bootstrapConfig('seed', { 'a.yaml': configMap('seed-{{team}}', '{{team}}') })
    const asked = { ...request(), bootstraps: [{ name: 'seed', params: { team: 'blue' }, config }] }
    expect(await checkUntilSettled(setup, asked)).toMatchObject({ passed: true })
    expect((await client.get(CONFIG_MAPS, { name: 'seed-blue', namespace: 'default' })).data).toEqual({ key: 'blue' })
  })
}
