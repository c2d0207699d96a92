import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type ScriptedGuest, startScriptedGuest } from '../../../../../test/integration/setup/scripted-guest.ts'
import { setupRequest } from '../../../../../test/integration/setup/setup-requests.ts'
import { sendJson, sendStatus } from '../../../../../test/support/scripted-server.ts'
import { GATE_TYPES, type ReadinessGate } from '../../../../api/v1alpha1/pool-policy.ts'
import { systemClock } from '../../../../kube/clock.ts'
import { silentLog } from '../../../../kube/log.ts'
import type { FetchResult } from '../fetch/fetch-public.ts'
import { createMemberSetup, type MemberSetup } from '../member-setup.ts'

let guest: ScriptedGuest
let setup: MemberSetup
let answer: FetchResult

beforeEach(async () => {
  guest = await startScriptedGuest()
  answer = { state: 'answered', status: 204, text: '' }
  setup = createMemberSetup({ clock: systemClock, log: silentLog, fetch: async () => answer })
})
afterEach(async () => {
  setup.close()
  await guest[Symbol.asyncDispose]()
})

const check = (...readinessGates: ReadinessGate[]) => setup.check(setupRequest(guest.kubeconfig, { readinessGates }))
const put = (path: string, object: object) => guest.objects.set(path, { metadata: {}, ...object })
const node = (ready: string) => ({ status: { conditions: [{ type: 'Ready', status: ready }] } })

const DEPLOYMENT = '/apis/apps/v1/namespaces/web/deployments/api'
const DAEMON_SET = '/apis/apps/v1/namespaces/web/daemonsets/agent'
const ENDPOINTS = '/api/v1/namespaces/kube-system/endpoints/kube-dns'
const CRD = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/a.example.com'

interface Case {
  readonly gate: ReadinessGate
  readonly when: string
  readonly objects: Record<string, object>
  /** What it says; left out: it passes. */
  readonly message?: string
}

const deployment: ReadinessGate = { type: 'DeploymentReady', name: 'api', namespace: 'web' }
const daemonSet: ReadinessGate = { type: 'DaemonSetReady', name: 'agent', namespace: 'web' }
const definition: ReadinessGate = { type: 'CRDExists', name: 'a.example.com' }
const nodes: ReadinessGate = { type: 'NodesReady', count: 2 }
const dns: ReadinessGate = { type: 'DNSHealthy' }

const CASES: readonly Case[] = [
  { gate: { type: 'AddonsReady' }, when: 'there are no addons', objects: {} },
  {
    gate: definition,
    when: 'it is missing',
    objects: {},
    message: 'gate CRDExists: CustomResourceDefinition a.example.com does not exist',
  },
  { gate: definition, when: 'it is there', objects: { [CRD]: {} } },
  { gate: nodes, when: 'there are none', objects: {}, message: 'gate NodesReady: 0 of 2 nodes Ready' },
  {
    gate: nodes,
    when: 'one is not Ready and one has not reported',
    objects: { '/api/v1/nodes/a': node('True'), '/api/v1/nodes/b': node('Unknown'), '/api/v1/nodes/c': {} },
    message: 'gate NodesReady: 1 of 2 nodes Ready',
  },
  {
    gate: nodes,
    when: 'more are Ready than wanted',
    objects: { '/api/v1/nodes/a': node('True'), '/api/v1/nodes/b': node('True'), '/api/v1/nodes/c': node('True') },
  },
  {
    gate: deployment,
    when: 'it is missing',
    objects: {},
    message: 'gate DeploymentReady: Deployment web/api does not exist',
  },
  {
    gate: deployment,
    when: 'no replica is ready',
    objects: { [DEPLOYMENT]: { spec: { replicas: 3 }, status: {} } },
    message: 'gate DeploymentReady: 0 of 3 replicas of Deployment web/api ready',
  },
  {
    gate: deployment,
    when: 'one replica is ready',
    objects: { [DEPLOYMENT]: { spec: { replicas: 3 }, status: { readyReplicas: 1 } } },
  },
  {
    gate: daemonSet,
    when: 'it is missing',
    objects: {},
    message: 'gate DaemonSetReady: DaemonSet web/agent does not exist',
  },
  {
    gate: daemonSet,
    when: 'no pod is wanted',
    objects: { [DAEMON_SET]: { status: { desiredNumberScheduled: 0, numberReady: 0 } } },
    message: 'gate DaemonSetReady: 0 of 0 pods of DaemonSet web/agent ready',
  },
  {
    gate: daemonSet,
    when: 'one pod is not ready',
    objects: { [DAEMON_SET]: { status: { desiredNumberScheduled: 3, numberReady: 2 } } },
    message: 'gate DaemonSetReady: 2 of 3 pods of DaemonSet web/agent ready',
  },
  {
    gate: daemonSet,
    when: 'all pods are ready',
    objects: { [DAEMON_SET]: { status: { desiredNumberScheduled: 3, numberReady: 3 } } },
  },
  {
    gate: dns,
    when: 'there are no Endpoints',
    objects: {},
    message: 'gate DNSHealthy: Endpoints kube-system/kube-dns does not exist',
  },
  {
    gate: dns,
    when: 'no address is ready',
    objects: { [ENDPOINTS]: { subsets: [{ notReadyAddresses: [{ ip: '10.0.0.1' }] }] } },
    message: 'gate DNSHealthy: Endpoints kube-system/kube-dns has 0 ready addresses, 1 is wanted',
  },
  {
    gate: dns,
    when: 'an address is ready',
    objects: { [ENDPOINTS]: { subsets: [{ addresses: [{ ip: '10.0.0.1' }] }] } },
  },
]

test.each(CASES)('$gate.type when $when', async ({ gate, objects, message }) => {
  for (const [path, object] of Object.entries(objects)) put(path, object)
  const evidence = await check(gate)
  expect(evidence).toEqual({
    passed: message === undefined,
    at: expect.any(Number),
    ...(message === undefined ? {} : { message }),
  })
})

describe('URLHealthy', () => {
  const gate: ReadinessGate = { type: 'URLHealthy', url: 'https://example.com/healthz' }
  test.each<[FetchResult, object]>([
    [{ state: 'answered', status: 200, text: '' }, { passed: true }],
    [{ state: 'answered', status: 299, text: '' }, { passed: true }],
    [
      { state: 'answered', status: 503, text: '' },
      { passed: false, message: 'gate URLHealthy: https://example.com/healthz answers 503, not 2xx' },
    ],
    [
      { state: 'unreachable', reason: 'timeout' },
      { passed: false, message: 'gate URLHealthy: https://example.com/healthz does not answer: timeout' },
    ],
    [
      { state: 'refused', reason: '10.0.0.1 is a private address' },
      { passed: false, failed: true, message: expect.stringContaining('is refused: 10.0.0.1 is a private address') },
    ],
  ])('%j', async (result, expected) => {
    answer = result
    expect(await check(gate)).toEqual({ at: expect.any(Number), ...expected })
  })
})

describe('InClusterToken', () => {
  const TOKEN = '/api/v1/namespaces/kube-system/serviceaccounts/default/token'
  const REVIEW = '/apis/authentication.k8s.io/v1/tokenreviews'
  const serve = (status: object) => {
    guest.before = ({ path, body }, response) => {
      if (path === TOKEN) sendJson(response, 201, { status: { token: 't-1' } })
      else if (path === REVIEW) {
        expect(JSON.parse(body).spec.token).toBe('t-1')
        sendJson(response, 201, { status })
      } else return false
      return true
    }
  }

  test('passes when the member accepts the token that it made', async () => {
    serve({ authenticated: true })
    expect((await check({ type: 'InClusterToken' })).passed).toBe(true)
    const [request] = guest.server.requests
    expect(JSON.parse(request?.body ?? '')).toMatchObject({ spec: { expirationSeconds: 600 } })
  })

  test('waits while the token is not accepted', async () => {
    serve({ authenticated: false, error: 'unknown key' })
    expect(await check({ type: 'InClusterToken' })).toMatchObject({
      passed: false,
      message: 'gate InClusterToken: the token of ServiceAccount kube-system/default is not accepted: unknown key',
    })
  })

  test('waits for the service account that it names', async () => {
    const gate: ReadinessGate = { type: 'InClusterToken', namespace: 'web', serviceAccount: 'api' }
    guest.before = (_request, response) => {
      sendStatus(response, 404, 'NotFound')
      return true
    }
    expect(await check(gate)).toMatchObject({ message: 'gate InClusterToken: ServiceAccount web/api does not exist' })
    expect(guest.server.requests[0]?.path).toBe('/api/v1/namespaces/web/serviceaccounts/api/token')
  })
})

describe('SchedulingProbe', () => {
  const POD = '/api/v1/namespaces/kube-system/pods/kobe-readiness-probe-pool-ci-1'
  const gate: ReadinessGate = { type: 'SchedulingProbe' }
  const setStatus = (status: object) => put(POD, { ...guest.objects.get(POD), status })

  test('makes a pod, waits for it to run, removes it and is then done with', async () => {
    expect(await check(gate)).toMatchObject({ passed: false, message: expect.stringContaining('was made') })
    expect(guest.objects.get(POD)).toMatchObject({ spec: { containers: [{ image: 'registry.k8s.io/pause:3.10' }] } })
    setStatus({
      phase: 'Pending',
      conditions: [{ type: 'PodScheduled', status: 'False', message: '0/0 nodes are available' }],
    })
    expect((await check(gate)).message).toContain('is Pending: 0/0 nodes are available')
    setStatus({ phase: 'Running' })
    expect((await check(gate)).passed).toBe(true)
    expect(guest.objects.has(POD)).toBe(false)
    expect((await check(gate)).passed).toBe(true)
    expect(guest.writes().filter((write) => write.startsWith('POST'))).toHaveLength(1)
  })

  test('a pod that ended is removed and made again', async () => {
    put(POD, { status: { phase: 'Failed' } })
    expect((await check(gate)).message).toContain('ended as Failed')
    expect((await check(gate)).message).toContain('was made')
  })

  test('a pod that is going away is waited for', async () => {
    put(POD, { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' }, status: { phase: 'Running' } })
    expect((await check(gate)).message).toContain('going away')
    expect(guest.writes()).toEqual([])
  })
})

test('gates are asked in order: one that does not pass keeps the later ones from being asked', async () => {
  expect((await check(definition, dns)).message).toContain('CRDExists')
  expect(guest.server.requests.map(({ path }) => path)).toEqual([CRD])
})

test('a gate that has passed is not asked again while later ones are open', async () => {
  put(CRD, {})
  await check(definition, dns)
  guest.objects.delete(CRD)
  put(ENDPOINTS, { subsets: [{ addresses: [{ ip: '10.0.0.1' }] }] })
  expect((await check(definition, dns)).passed).toBe(true)
})

test('a gate whose question fails waits with what went wrong', async () => {
  guest.before = (_request, response) => {
    sendStatus(response, 500, 'InternalError', { message: 'database is locked' })
    return true
  }
  const evidence = await check(dns)
  expect(evidence).toMatchObject({ passed: false, message: expect.stringContaining('gate DNSHealthy: ') })
  expect(evidence.message).toContain('database is locked')
  expect(evidence.failed).toBeUndefined()
})

test.each(GATE_TYPES)('gate %s fails at once on a backend that does not list it', async (type) => {
  const request = setupRequest(guest.kubeconfig, { readinessGates: [{ type }] })
  const capabilities = { ...request.capabilities, gates: new Set<string>() }
  expect(await setup.check({ ...request, capabilities })).toMatchObject({
    passed: false,
    failed: true,
    message: `gate ${type} can never pass on this backend`,
  })
  expect(guest.server.requests).toEqual([])
})

test('a gate without a field that it needs fails at once', async () => {
  expect(await check({ type: 'NodesReady' })).toMatchObject({
    failed: true,
    message: 'gate NodesReady needs the field count',
  })
})
