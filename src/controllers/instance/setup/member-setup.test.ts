import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { establish, type ScriptedGuest, startScriptedGuest } from '../../../../test/integration/setup/scripted-guest.ts'
import {
  bootstrapConfig,
  configMap,
  setupRequest,
  WIDGET_DEFINITION,
  widget,
} from '../../../../test/integration/setup/setup-requests.ts'
import { sendStatus } from '../../../../test/support/scripted-server.ts'
import { type Clock, systemClock } from '../../../kube/clock.ts'
import { silentLog } from '../../../kube/log.ts'
import type { BootstrapJobRun } from './bootstraps/run-job.ts'
import type { FetchResult } from './fetch/fetch-public.ts'
import { createMemberSetup, type MemberSetup, type MemberSetupDeps } from './member-setup.ts'
import { DONE, type StepResult, waiting } from './step-result.ts'

/** Waits take no real time, so no test depends on how fast the machine is. */
let elapsedMs: number
const clock: Clock = {
  ...systemClock,
  monotonic: () => elapsedMs,
  after: async (ms) => {
    elapsedMs += ms
  },
}

let guest: ScriptedGuest
let setup: MemberSetup
let fetched: string[]
let fetchResult: FetchResult

const createSetup = (more: Partial<MemberSetupDeps> = {}): MemberSetup =>
  createMemberSetup({
    clock,
    log: silentLog,
    fetch: async (url) => {
      fetched.push(url)
      return fetchResult
    },
    ...more,
  })

beforeEach(async () => {
  guest = await startScriptedGuest()
  fetched = []
  elapsedMs = 0
  setup = createSetup()
})
afterEach(async () => {
  setup.close()
  await guest[Symbol.asyncDispose]()
})

const addons = (...manifests: string[]) =>
  setupRequest(guest.kubeconfig, { addons: manifests.map((manifest, index) => ({ name: `a${index + 1}`, manifest })) })
const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps'
const WIDGET_CRD = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.example.com'

test('a member with nothing to do passes without being asked anything', async () => {
  expect(await setup.check(setupRequest(guest.kubeconfig))).toEqual({ passed: true, at: expect.any(Number) })
  expect(guest.server.requests).toEqual([])
})

describe('addons', () => {
  test('are applied in order, document after document', async () => {
    const request = addons(
      `apiVersion: v1\nkind: Namespace\nmetadata: {name: web}\n---\n${configMap('one', 'v', 'web')}`,
      configMap('two'),
    )
    expect((await setup.check(request)).passed).toBe(true)
    expect(guest.writes()).toEqual([
      'PATCH /api/v1/namespaces/web',
      'PATCH /api/v1/namespaces/web/configmaps/one',
      `PATCH ${CONFIG_MAPS}/two`,
    ])
  })

  test('are applied server-side, with force, as kobe-operator', async () => {
    await setup.check(addons(configMap('one')))
    const request = guest.server.requests.find(({ method }) => method === 'PATCH')
    expect(request?.headers['content-type']).toBe('application/apply-patch+yaml')
    expect(Object.fromEntries(request?.query ?? [])).toEqual({ fieldManager: 'kobe-operator', force: 'true' })
  })

  test('go to `default` when their kind is namespaced and they name none; a cluster-wide kind has none', async () => {
    const text = `${configMap('one')}---\napiVersion: v1\nkind: Namespace\nmetadata: {name: web, namespace: other}\n`
    await setup.check(addons(text))
    expect(guest.objects.get(`${CONFIG_MAPS}/one`)?.metadata.namespace).toBe('default')
    expect(guest.objects.get('/api/v1/namespaces/web')?.metadata).toEqual({ name: 'web' })
  })

  test('lose what only the server they were exported from may set', async () => {
    const meta = '{name: one, uid: u, resourceVersion: "5", managedFields: [], labels: {a: b}}'
    await setup.check(addons(`apiVersion: v1\nkind: ConfigMap\nmetadata: ${meta}\n`))
    expect(guest.objects.get(`${CONFIG_MAPS}/one`)?.metadata).toEqual({
      name: 'one',
      namespace: 'default',
      labels: { a: 'b' },
    })
  })

  test('are not applied twice in the life of a process', async () => {
    await setup.check(addons(configMap('one')))
    const requests = guest.server.requests.length
    expect((await setup.check(addons(configMap('one')))).passed).toBe(true)
    expect(guest.server.requests).toHaveLength(requests)
  })

  test('of which one has changed are applied again, that one only', async () => {
    await setup.check(addons(configMap('one'), configMap('two')))
    await setup.check(addons(configMap('one'), configMap('two', 'new')))
    expect(guest.writes().filter((write) => write.endsWith('/one'))).toHaveLength(1)
    expect(guest.objects.get(`${CONFIG_MAPS}/two`)?.['data']).toEqual({ key: 'new' })
  })

  test('are applied again after a restart, and by another UID', async () => {
    await setup.check(addons(configMap('one')))
    const next = createSetup()
    expect((await next.check(addons(configMap('one')))).passed).toBe(true)
    next.close()
    expect((await setup.check({ ...addons(configMap('one')), uid: 'uid-2' })).passed).toBe(true)
    expect(guest.writes()).toHaveLength(3)
  })

  test('continue where the last check stopped', async () => {
    let fail = true
    guest.before = ({ path, method }, response) => {
      if (!fail || method !== 'PATCH' || !path.endsWith('/two')) return false
      sendStatus(response, 503, 'ServiceUnavailable', { message: 'starting' })
      return true
    }
    const request = addons(`${configMap('one')}---\n${configMap('two')}`)
    const evidence = await setup.check(request)
    expect(evidence).toMatchObject({ passed: false, message: expect.stringContaining('starting') })
    expect(evidence.message).toContain('addon a1: document 2 (ConfigMap default/two)')
    expect(evidence.failed).toBeUndefined()
    fail = false
    expect((await setup.check(request)).passed).toBe(true)
    expect(guest.writes().filter((write) => write.endsWith('/one'))).toHaveLength(1)
  })

  test('that take longer than one check may are continued by the next one', async () => {
    guest.before = () => {
      elapsedMs += 3_000
      return false
    }
    const request = addons(`${configMap('one')}---\n${configMap('two')}`)
    expect(await setup.check(request)).toMatchObject({ passed: false, message: 'addon a1: 1 of 2 objects applied' })
    expect((await setup.check(request)).passed).toBe(true)
    expect(guest.writes()).toHaveLength(2)
  })

  test('without manifest and url have nothing to apply', async () => {
    expect((await setup.check(setupRequest(guest.kubeconfig, { addons: [{ name: 'a' }] }))).passed).toBe(true)
  })

  test('that cannot be parsed fail, naming the addon, the document and why, and nothing of them is applied', async () => {
    expect(await setup.check(addons(`${configMap('one')}---\nkind: Pod\n`))).toMatchObject({
      passed: false,
      failed: true,
      message: 'addon a1: document 2 has no apiVersion',
    })
    expect(guest.writes()).toEqual([])
  })

  test.each([
    [422, 'Invalid'],
    [400, 'BadRequest'],
  ])('that the server refuses with %i fail with its causes', async (status, reason) => {
    guest.before = ({ method }, response) => {
      if (method !== 'PATCH') return false
      const causes = [
        { field: 'data.key', message: 'must be text', reason: 'FieldValueInvalid' },
        { field: 'metadata', message: 'too long' },
      ]
      sendStatus(response, status, reason, { details: { causes } })
      return true
    }
    expect(await setup.check(addons(configMap('one')))).toMatchObject({
      failed: true,
      message:
        'addon a1: document 1 (ConfigMap default/one) was refused by the API server: data.key: must be text; metadata: too long',
    })
  })

  test('of a kind that the member does not know yet are waited for', async () => {
    const request = addons(widget('one'))
    expect(await setup.check(request)).toEqual({
      passed: false,
      message: 'addon a1: document 1: waiting for the cluster to know kind Widget of example.com/v1',
      at: expect.any(Number),
    })
    guest.kinds.set('/apis/example.com/v1', [{ name: 'widgets', kind: 'Widget', namespaced: true }])
    expect((await setup.check(request)).passed).toBe(true)
    expect(guest.objects.has('/apis/example.com/v1/namespaces/default/widgets/one')).toBe(true)
  })

  test('in a namespace that is missing are waited for', async () => {
    guest.before = ({ method }, response) => {
      if (method !== 'PATCH') return false
      sendStatus(response, 404, 'NotFound', { message: 'namespaces "web" not found' })
      return true
    }
    const evidence = await setup.check(addons(configMap('one', 'v', 'web')))
    expect(evidence.failed).toBeUndefined()
    expect(evidence.message).toContain('namespaces "web" not found')
  })
})

describe('on a server without server-side apply', () => {
  beforeEach(() => {
    guest.serverSideApply = false
  })

  test('an object is created, and apply is not tried again', async () => {
    expect((await setup.check(addons(`${configMap('one')}---\n${configMap('two')}`))).passed).toBe(true)
    expect(guest.writes()).toEqual([`PATCH ${CONFIG_MAPS}/one`, `POST ${CONFIG_MAPS}`, `POST ${CONFIG_MAPS}`])
  })

  test('an object that exists is patched', async () => {
    guest.objects.set(`${CONFIG_MAPS}/one`, { metadata: { name: 'one' }, data: { key: 'old' }, kept: true })
    expect((await setup.check(addons(configMap('one', 'new')))).passed).toBe(true)
    expect(guest.objects.get(`${CONFIG_MAPS}/one`)).toMatchObject({ data: { key: 'new' }, kept: true })
    expect(guest.server.requests.at(-1)?.headers['content-type']).toBe('application/merge-patch+json')
  })
})

test('an object that apply cannot type is created, where the server can say what is wrong with it', async () => {
  guest.before = ({ method }, response) => {
    if (method === 'PATCH') sendStatus(response, 500, '', { message: '.typo: field not declared in schema' })
    return method === 'PATCH'
  }
  expect((await setup.check(addons(configMap('one')))).passed).toBe(true)
  expect(guest.writes()).toEqual([`PATCH ${CONFIG_MAPS}/one`, `POST ${CONFIG_MAPS}`])
})

describe('definitions', () => {
  const text = `${WIDGET_DEFINITION}---\n${widget('one')}`

  test('are waited for before the documents after them', async () => {
    guest.establishes = false
    expect(await setup.check(addons(text))).toMatchObject({
      passed: false,
      message: 'addon a1: waiting for CustomResourceDefinition widgets.example.com to be Established',
    })
    expect(guest.writes()).toEqual([`PATCH ${WIDGET_CRD}`])
    establish(guest, WIDGET_CRD)
    expect((await setup.check(addons(text))).passed).toBe(true)
    expect(guest.writes()).toEqual([`PATCH ${WIDGET_CRD}`, 'PATCH /apis/example.com/v1/namespaces/default/widgets/one'])
  })

  test('that are Established soon are waited for within one check', async () => {
    guest.establishes = false
    guest.before = ({ method, path, index }) => {
      const reads = guest.server.requests.slice(0, index).filter((request) => request.path === path).length
      if (method === 'GET' && path === WIDGET_CRD && reads >= 3) establish(guest, path)
      return false
    }
    expect((await setup.check(addons(text))).passed).toBe(true)
  })

  test('at the end of an addon are waited for before the next addon', async () => {
    guest.establishes = false
    await setup.check(addons(WIDGET_DEFINITION, configMap('one')))
    expect(guest.writes()).toEqual([`PATCH ${WIDGET_CRD}`])
  })
})

describe('addons by URL', () => {
  const url = 'https://example.com/addon.yaml'
  const request = () => setupRequest(guest.kubeconfig, { addons: [{ name: 'cni', url }] })

  test('are read once and applied', async () => {
    fetchResult = { state: 'answered', status: 200, text: `${configMap('one')}---\n${widget('one')}` }
    expect((await setup.check(request())).message).toContain('document 2')
    guest.kinds.set('/apis/example.com/v1', [{ name: 'widgets', kind: 'Widget', namespaced: true }])
    expect((await setup.check(request())).passed).toBe(true)
    expect((await setup.check(request())).passed).toBe(true)
    expect(fetched).toEqual([url])
  })

  test('are named without their query, which may hold a signature', async () => {
    fetchResult = { state: 'answered', status: 404, text: '' }
    const signed = setupRequest(guest.kubeconfig, { addons: [{ name: 'cni', url: `${url}?signature=hunter2` }] })
    expect((await setup.check(signed)).message).toBe(`addon cni: ${url} answers 404`)
    expect(fetched).toEqual([`${url}?signature=hunter2`])
  })

  test('lose against a manifest', async () => {
    const both = setupRequest(guest.kubeconfig, { addons: [{ name: 'cni', url, manifest: configMap('one') }] })
    expect((await setup.check(both)).passed).toBe(true)
    expect(fetched).toEqual([])
  })

  test.each<[FetchResult, boolean, string]>([
    [{ state: 'refused', reason: '10.0.0.1 is a private address' }, true, 'is refused: 10.0.0.1 is a private address'],
    [{ state: 'unreachable', reason: 'ENOTFOUND' }, false, 'cannot be read: ENOTFOUND'],
    [{ state: 'answered', status: 404, text: '' }, true, 'answers 404'],
    [{ state: 'answered', status: 429, text: '' }, false, 'answers 429'],
    [{ state: 'answered', status: 502, text: '' }, false, 'answers 502'],
    [{ state: 'answered', status: 200, text: '<html>' }, true, 'document 1 is not an object'],
  ])('%j: failed %s', async (result, isFailed, message) => {
    fetchResult = result
    const evidence = await setup.check(request())
    expect(evidence).toMatchObject({ passed: false, message: expect.stringContaining(message) })
    expect(evidence.message).toContain('addon cni')
    expect(evidence.failed ?? false).toBe(isFailed)
  })
})

describe('bootstraps', () => {
  const job = { image: 'seed:{{version}}', command: [], args: ['{{version}}'], env: {} }
  const bootstraps = (config: ReturnType<typeof bootstrapConfig> | undefined, params: Record<string, string> = {}) =>
    setupRequest(guest.kubeconfig, { bootstraps: [{ name: 'seed', params, config }] })

  test('apply their YAML files in order of name, with parameters, after addons and gates', async () => {
    const files = { 'b.yml': configMap('{{who}}-b'), 'a.yaml': configMap('{{who}}-a'), 'run.sh': 'echo {{who}}' }
    const request = {
      ...bootstraps(bootstrapConfig('seed', files), { who: 'team' }),
      addons: addons(configMap('addon')).addons,
    }
    expect((await setup.check(request)).passed).toBe(true)
    expect(guest.writes()).toEqual(['addon', 'team-a', 'team-b'].map((name) => `PATCH ${CONFIG_MAPS}/${name}`))
  })

  test('that are not there yet are waited for by name', async () => {
    expect(await setup.check(bootstraps(undefined))).toEqual({
      passed: false,
      message: 'bootstrap seed: waiting for its BootstrapConfig',
      activeBootstrap: 'seed',
      at: expect.any(Number),
    })
  })

  test('with a file that cannot be applied fail, naming bootstrap, file and document', async () => {
    expect(await setup.check(bootstraps(bootstrapConfig('seed', { 'a.yaml': 'kind: Pod' })))).toMatchObject({
      failed: true,
      activeBootstrap: 'seed',
      message: 'bootstrap seed, file a.yaml: document 1 has no apiVersion',
    })
  })

  test('with a job fail at once on a backend that runs none', async () => {
    const request = bootstraps(bootstrapConfig('seed', {}, job))
    const capabilities = { ...request.capabilities, runsBootstrapJobs: false }
    expect(await createSetup({ runJob: async () => DONE }).check({ ...request, capabilities })).toMatchObject({
      failed: true,
      message: expect.stringContaining('bootstrap seed has a job, and this backend runs no bootstrap jobs'),
    })
  })

  test('with a job fail at once without a place to run it', async () => {
    expect(await setup.check(bootstraps(bootstrapConfig('seed', {}, job)))).toMatchObject({
      failed: true,
      message: expect.stringContaining('this operator has no host cluster to run it on'),
    })
  })

  test('run their job with parameters until it is done, then the next bootstrap', async () => {
    const runs: BootstrapJobRun[] = []
    let result: StepResult = waiting('job is running')
    setup = createSetup({
      runJob: async (run) => {
        runs.push(run)
        return result
      },
    })
    const request = setupRequest(guest.kubeconfig, {
      bootstraps: [
        { name: 'seed', params: { version: '7' }, config: bootstrapConfig('seed', {}, job) },
        { name: 'next', params: {}, config: bootstrapConfig('next', { 'a.yaml': configMap('next') }) },
      ],
    })
    expect(await setup.check(request)).toMatchObject({
      passed: false,
      activeBootstrap: 'seed',
      message: 'bootstrap seed: job is running',
    })
    expect(runs).toEqual([
      {
        uid: 'uid-1',
        instance: 'pool-ci-1',
        bootstrap: 'seed',
        jobName: 'pool-ci-1-bootstrap-seed',
        job: { image: 'seed:7', command: [], args: ['7'], env: {} },
      },
    ])
    result = DONE
    expect((await setup.check(request)).passed).toBe(true)
    expect((await setup.check(request)).passed).toBe(true)
    expect(runs).toHaveLength(2)
    expect(guest.objects.has(`${CONFIG_MAPS}/next`)).toBe(true)
  })
})

describe('a member', () => {
  test('that cannot be reached is waited for', async () => {
    await guest[Symbol.asyncDispose]()
    const evidence = await setup.check(addons(configMap('one')))
    expect(evidence.failed).toBeUndefined()
    expect(evidence.message).toContain('addon a1: document 1: GET /api/v1: no answer')
    guest = await startScriptedGuest()
  })

  test('whose kubeconfig cannot be read is waited for', async () => {
    expect(await setup.check(setupRequest('{}'))).toMatchObject({
      passed: false,
      message: expect.stringContaining('kubeconfig'),
    })
  })

  test('that is reached elsewhere after a restart keeps what was done', async () => {
    await setup.check(addons(configMap('one')))
    const request = addons(configMap('one'), configMap('two'))
    await guest[Symbol.asyncDispose]()
    guest = await startScriptedGuest()
    expect((await setup.check({ ...request, kubeconfig: guest.kubeconfig })).passed).toBe(true)
    expect(guest.writes()).toEqual([`PATCH ${CONFIG_MAPS}/two`])
  })

  test('is set up once when two ask at the same time', async () => {
    const request = addons(configMap('one'))
    const both = await Promise.all([setup.check(request), setup.check(request)])
    expect(both.map(({ passed }) => passed)).toEqual([true, true])
    expect(guest.writes()).toHaveLength(1)
  })

  test('that is forgotten on the way ends the check and its connections', async () => {
    guest.before = ({ method }) => {
      if (method !== 'PATCH') return false
      setup.forget('uid-1')
      return true
    }
    expect(await setup.check(addons(configMap('one')))).toMatchObject({ passed: false })
    guest.before = undefined
    expect((await setup.check(addons(configMap('one')))).passed).toBe(true)
  })
})
