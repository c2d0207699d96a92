/** `kobe node rollout` against a server whose answers each test writes. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type CliBench, json, startCliBench } from '../../test/support/cli-bench.ts'
import {
  DONE,
  EVENTS_PATH,
  FAILED,
  HALF,
  NOTE,
  nodesApi,
  OPERATION,
  OPERATION_NAME,
  sendEvent,
  stream,
} from '../../test/support/nodes-api.ts'
import { Interrupt } from './interrupt.ts'

const ALL_EVENTS = ['plan', 'operation', 'note', 'operation', 'operation', 'end']
const CURSOR_UP = new RegExp(`${String.fromCharCode(27)}\\[\\d+A`)
let bench: CliBench
beforeEach(async () => {
  bench = await startCliBench(nodesApi())
})
afterEach(() => bench[Symbol.asyncDispose]())

const valuesIn = (text: string) =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
const withoutTimes = (text: string) => text.replaceAll(/^(\d{4}-\d\d-\d\d )?\d\d:\d\d:\d\d {2}/gm, '')

describe('node rollout', () => {
  test('says the plan in short, then what happens line by line, and ends with code 0', async () => {
    const { code, stdout, stderr } = await bench.kobe('node', 'rollout', 'demo')
    expect(stderr).toContain('kobe node plan demo')
    expect(code).toBe(0)
    expect(withoutTimes(stdout)).toBe(`demo: 2 node(s) in 1 batch(es), about 1m 30s
  workers: worker-1, worker-2, up to 2 at a time
  left out: worker-3: it is annotated do-not-disrupt
  blocked: worker-1: ZeroBudget default/web-1 default/web
demo: Rollout rollout-1 is Running, 0/2 done, 1 in flight
worker-1: Draining
PreflightFailed  paused: control-2 is not Ready
demo: 1/2 done, 1 in flight
worker-1: done
worker-2: Draining, about 19s
demo: Rollout rollout-1 is Succeeded, 2/2 done
worker-2: done
`)
  })

  test('with -o json is one JSON value per line, the end last', async () => {
    const { code, stdout, stderr } = await bench.kobe('node', 'rollout', 'demo', '-o', 'json')
    const values = valuesIn(stdout)
    expect(code).toBe(0)
    expect(stderr).toBe('')
    expect(values.map(({ event: name }) => name)).toEqual(ALL_EVENTS)
    expect(values.at(-1).operation).toMatchObject({ name: OPERATION_NAME, phase: 'Succeeded' })
  })

  test('with -o yaml is the operation as it ended', async () => {
    const { stdout } = await bench.kobe('node', 'rollout', 'demo', '-o', 'yaml')
    expect(stdout).toMatch(/^name: rollout-1\n/)
    expect(stdout).toContain('phase: Succeeded')
  })

  test('sends settings, budget and selection to the plan and to the operation, with a key against repetition', async () => {
    const asked = ['--group', 'workers', '--offering', 'large', '--root-disk', '40', '--affinity', 'a, b']
    const more = ['--max-unavailable', '2', '--allow-last-worker', '--node', 'worker-1', '--label', 'disk=ssd']
    await bench.kobe('node', 'rollout', 'demo', ...asked, ...more)
    const request = {
      settings: { workers: { offering: 'large', rootDiskSizeGB: 40, affinityGroups: ['a', 'b'] } },
      maxUnavailable: 2,
      allowLastWorker: true,
      selector: { names: ['worker-1'], matchLabels: { disk: 'ssd' } },
    }
    expect(bench.bodyOf('POST /v1/clusters/demo/plan')).toEqual(request)
    expect(bench.bodyOf('POST /v1/operations')).toEqual({
      cluster: 'demo',
      type: 'Rollout',
      ...request,
      idempotencyKey: expect.stringMatching(/^[0-9a-f-]{36}$/),
    })
  })

  test('--no-wait says how to follow and to cancel', async () => {
    const { code, stdout } = await bench.kobe('node', 'rollout', 'demo', '--no-wait')
    expect(code).toBe(0)
    expect(stdout).toContain('`kobe node status demo --follow` watches it, `kobe node cancel demo` ends it')
    expect(bench.sent(`GET ${EVENTS_PATH}`)).toHaveLength(0)
  })

  test('a connection that breaks is opened again after the last event, and nothing is lost or told twice', async () => {
    bench.answers[`GET ${EVENTS_PATH}`] = (request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      const first = bench.sent(`GET ${EVENTS_PATH}`).length === 1
      sendEvent(response, 'operation', first ? OPERATION : HALF, first ? 1 : 3)
      sendEvent(response, 'note', NOTE, 2)
      if (first) response.write('event: operation\ndata: {"half', request.cut)
      else {
        sendEvent(response, 'operation', DONE, 4)
        sendEvent(response, 'end', {}, 5)
        response.end()
      }
    }
    const { code, stdout } = await bench.kobe('node', 'rollout', 'demo', '-o', 'json')
    expect(code).toBe(0)
    expect(valuesIn(stdout).map(({ event: name }) => name)).toEqual(ALL_EVENTS)
    expect(bench.sent(`GET ${EVENTS_PATH}`).map(({ headers }) => headers['last-event-id'])).toEqual([undefined, '2'])
  })

  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('%s stops watching with code %i, and does not cancel', async (signal, code) => {
    bench.answers[`GET ${EVENTS_PATH}`] = (_, response) => {
      response.writeHead(200)
      sendEvent(response, 'operation', OPERATION, 1)
      setImmediate(() => bench.interrupt.abort(new Interrupt(signal)))
    }
    const result = await bench.kobe('node', 'rollout', 'demo', '-o', 'json')
    expect(result.code).toBe(code)
    expect(valuesIn(result.stdout).at(-1)).toMatchObject({ event: 'detached' })
    expect(result.stderr).toContain('goes on: `kobe node status demo --follow`')
    expect(bench.sent(`POST /v1/operations/${OPERATION_NAME}/cancel`)).toHaveLength(0)
  })

  test('--timeout ends with code 5, says what is missing, and that it goes on', async () => {
    bench.answers[`GET ${EVENTS_PATH}`] = stream(['operation', OPERATION])
    const { code, stderr } = await bench.kobe('node', 'rollout', 'demo', '--timeout', '2s')
    expect(code).toBe(5)
    expect(stderr).toContain('1 node(s) are worked on: 1 Draining')
    expect(stderr).toContain('fix: rollout-1 goes on')
  })

  test.each([
    ['failed', FAILED, 9, 'worker-1: drain: default/web-1'],
    ['was cancelled', { ...FAILED, phase: 'Cancelled', lastError: undefined }, 10, 'takes up what is left'],
    ['was superseded', { ...FAILED, phase: 'Superseded', lastError: undefined }, 10, 'is Superseded'],
  ])('one that %s has a code of its own', async (_title, operation, code, text) => {
    bench.answers[`GET ${EVENTS_PATH}`] = stream(['operation', operation], ['end', {}])
    const result = await bench.kobe('node', 'rollout', 'demo')
    expect(result.code).toBe(code)
    expect(result.stderr).toContain(text)
  })

  test('on a terminal it is drawn in place, and the last drawing stays; with CI, NO_COLOR or TERM=dumb it is not', async () => {
    const show = async (env: Record<string, string>) => {
      let text = ''
      const stdout = { isTTY: true, columns: 100, rows: 30, write: (chunk: string) => (text += chunk) }
      const all = { HOME: bench.dir, KOBE_ENDPOINT: bench.server.url, ...env }
      await bench.kobeWith({ stdout, env: all }, 'node', 'rollout', 'demo')
      return text
    }
    const drawn = await show({})
    expect(drawn).toMatch(CURSOR_UP)
    expect(drawn).toContain('took 2m 3s')
    for (const env of [{ CI: 'true' }, { NO_COLOR: '1' }, { TERM: 'dumb' }]) {
      expect(await show(env)).not.toMatch(CURSOR_UP)
    }
  })
})

describe('what is refused', () => {
  test.each([
    ['another operation holds the cluster', [409, 'cluster_busy'], 11, 'kobe node cancel demo'],
    ['settings are not possible', [422, 'settings_refused'], 11, 'fix: '],
    ['the verb is not granted', [403, 'cluster_forbidden'], 3, 'AccessPolicy'],
    ['there is no such cluster', [404, 'cluster_not_found'], 4, 'kobe cluster list'],
    ['the operator is too old', [404, 'route_not_found'], 6, 'older than this command'],
  ] as const)('because %s', async (_title, [status, reason], code, fix) => {
    const detail = 'operation demo-2 (Rollout) holds the cluster'
    bench.answers['POST /v1/operations'] = json(status, { error: 'refused', reason, detail })
    const result = await bench.kobe('node', 'rollout', 'demo')
    expect(result.code).toBe(code)
    expect(result.stderr).toContain(detail)
    expect(result.stderr).toContain(fix)
  })

  test.each([
    [['node', 'rollout', 'demo', '--offering', 'large'], 'which group'],
    [['node', 'rollout', 'demo', '--group', 'workers'], 'no setting is given'],
    [['node', 'rollout', 'demo', '--max-unavailable', '0'], 'neither a number nor a percentage'],
    [['node', 'rollout', 'demo', '--label', 'x'], 'not a key and a value'],
    [['node', 'rollout', 'demo', '--no-wait', '--timeout', '1m'], 'cannot go with'],
    [['node', 'status', '--follow'], 'follow what'],
    [['cluster', 'set', 'demo'], 'nothing to store'],
    [['cluster', 'set', 'demo', '--group', 'a', '--root-disk', '4x'], 'not a size'],
    [['cluster', 'create', 'x', '--in-cluster'], 'what runs its machines'],
    [['cluster', 'create', 'x', '--provider', 'simulated'], 'how is the cluster reached'],
    [['cluster', 'create', 'x', '--provider', 'simulated', '--in-cluster', '--group', 'w'], 'not a name and a type'],
    [['cluster', 'destroy', 'demo'], 'destroy would destroy'],
  ])('`kobe %j` before anything is sent', async (argv, text) => {
    const { code, stderr } = await bench.kobe(...argv)
    expect(code).toBe(2)
    expect(stderr).toContain(text)
    expect(bench.server.requests).toHaveLength(0)
  })
})
