/**
 * Rollouts through the command line: `kobe up --demo nodes`, `kobe node` beside it, and the laws of nodes watched over every
 * resourceVersion of the host. `npm run e2e -- nodes-cli` runs it.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CONFIG_MAPS } from '../../src/api/core-resources.ts'
import { MANAGED_CLUSTERS } from '../../src/api/v1alpha1/resources.ts'
import type { Answer } from '../../src/client/api.ts'
import { DISRUPTION_BUDGETS } from '../../src/controllers/node-operation/drain/kinds.ts'
import { type ClosableKubeClient, createKubeClient } from '../../src/kube/kube-client.ts'
import { CLOUD_ANNOTATIONS } from '../../src/providers/simulated/script.ts'
import { createTestKobe, type TestKobe } from '../support/kobe.ts'
import { startNodeLaws } from '../support/node-laws.ts'
import { eventually, NODE, ROOT, run, start } from '../support/run.ts'
import { say } from '../support/say.ts'

const isLong = process.env['KOBE_E2E_LONG'] === '1'
const LONG_MS = 280_000
const NAMESPACE = 'kobe-system'
const PODS = { web: 5, api: 2, db: 2 }
const EXIT = { ok: 0, timeout: 5, failed: 9, cancelled: 10, refused: 11, interrupted: 130 }

type Operation = Answer<'getOperation'>
type Plan = Answer<'planRollout'>
interface Line {
  readonly event: string
  readonly plan?: Plan
  readonly operation?: Operation
}

const linesIn = (text: string): Line[] =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))

describe.skipIf(!isLong)('kobe node', { timeout: 300_000 }, () => {
  let kobe: TestKobe
  let client: ClosableKubeClient

  beforeAll(async () => {
    kobe = createTestKobe()
    await kobe.up(['--demo', 'nodes', '--no-pool', '--memory'])
    client = createKubeClient({ kubeconfigPath: kobe.hostKubeconfig })
    await settled()
    await script({ [CLOUD_ANNOTATIONS.stopTime]: '200ms', [CLOUD_ANNOTATIONS.startTime]: '200ms' })
  })
  afterAll(async () => {
    client?.close()
    await kobe?.dispose()
  })

  /** A command that takes as long as a rollout. */
  const long = (...args: string[]) =>
    run(NODE, [`${ROOT}/bin/kobe.js`, ...args], { cwd: kobe.dir, env: kobe.env, timeoutMs: LONG_MS })

  const script = (annotations: Readonly<Record<string, string | null>>) =>
    client.patch(
      CONFIG_MAPS,
      { name: 'machines', namespace: NAMESPACE },
      { type: 'merge', body: { metadata: { annotations } } },
    )

  const cluster = () => kobe.json<Answer<'getCluster'>>('cluster', 'show', 'demo')

  const settled = () =>
    eventually('the demo is Running, its nodes are Ready, and every budget allows an eviction', 90_000, async () => {
      const { state, nodes } = await cluster()
      const { items } = await client.list(DISRUPTION_BUDGETS)
      const isOpen = items.length === 3 && items.every(({ status }) => (status?.disruptionsAllowed ?? 0) > 0)
      return state === 'Running' && nodes.length === 8 && nodes.every(({ ready }) => ready) && isOpen
    })

  const rollout = (...more: string[]) => long('node', 'rollout', 'demo', '--group', 'workers', '-o', 'json', ...more)

  test('plan says what then happens: nodes, order, budget; nothing is unavailable beyond it', async () => {
    const asked = [
      '--group',
      'workers',
      '--group',
      'control',
      '--offering',
      'large',
      '--root-disk',
      '40',
      '--max-unavailable',
      '2',
    ]
    const plan = await kobe.json<Plan>('node', 'plan', 'demo', ...asked)
    say(await kobe.cliOk('node', 'plan', 'demo', ...asked))
    expect(plan).toMatchObject({ totalNodes: 8, leftOut: [] })
    expect(plan.refused).toBeUndefined()
    const laws = await startNodeLaws(client, { workers: 2, control: 1, pods: PODS }, NAMESPACE)
    const { code, stdout, stderr } = await long('node', 'rollout', 'demo', ...asked, '-o', 'json')
    await laws.stop()
    expect(code, stderr).toBe(EXIT.ok)
    const lines = linesIn(stdout)
    expect(lines[0]?.event).toBe('plan')
    expect(lines.at(-1)).toMatchObject({ event: 'end', operation: { phase: 'Succeeded', progress: { done: 8 } } })
    expect(laws.violations).toEqual([])
    expect(laws.most).toMatchObject({ workers: 2, control: 1 })
    // Nodes of one batch go down together, in no order.
    const down = [...laws.order]
    const happened = plan.batches.map(({ nodes }) => down.splice(0, nodes.length).toSorted())
    expect(happened).toEqual(plan.batches.map(({ nodes }) => nodes.map(({ name }) => name).toSorted()))
    const { state, groups, nodes } = await cluster()
    expect(state).toBe('Running')
    expect(groups.map(({ settings }) => settings)).toEqual([
      expect.objectContaining({ offering: 'large', rootDiskSizeGB: 40 }),
      expect.objectContaining({ offering: 'large', rootDiskSizeGB: 40 }),
    ])
    expect(
      nodes.every(
        ({ cordon = 'none', marked = false, outOfDate }) => cordon === 'none' && !marked && outOfDate.length === 0,
      ),
    ).toBe(true)
  })

  test('of two rollouts at once exactly one wins, and the error of the other names it', async () => {
    await settled()
    const both = await Promise.all([rollout('--offering', 'one'), rollout('--offering', 'two')])
    const won = both.filter(({ code }) => code === EXIT.ok)
    const lost = both.filter(({ code }) => code === EXIT.refused)
    say(lost[0]?.stderr ?? '')
    expect([won.length, lost.length], both.map(({ stderr }) => stderr).join('')).toEqual([1, 1])
    const name = linesIn(won[0]?.stdout ?? '').at(-1)?.operation?.name
    expect(lost[0]?.stderr).toContain(`operation ${name} (Rollout)`)
  })

  test('Ctrl-C stops watching and not the rollout; cancel ends it between two batches; another one does the rest', async () => {
    await settled()
    const watching = start(
      NODE,
      [
        `${ROOT}/bin/kobe.js`,
        'node',
        'rollout',
        'demo',
        '--group',
        'workers',
        '--offering',
        'three',
        '--max-unavailable',
        '1',
      ],
      {
        cwd: kobe.dir,
        env: kobe.env,
      },
    )
    await eventually('the first node is worked on', 60_000, async () => watching.output().includes('Draining'))
    watching.child.kill('SIGINT')
    expect(await watching.exited).toBe(EXIT.interrupted)
    expect(watching.output()).toContain('kobe node status demo --follow')
    expect((await cluster()).operation?.type).toBe('Rollout')
    const followed = long('node', 'status', 'demo', '--follow', '-o', 'json')
    expect((await long('node', 'cancel', 'demo', '--wait')).code).toBe(EXIT.ok)
    expect((await followed).code).toBe(EXIT.cancelled)
    const left = (await cluster()).nodes.filter(({ outOfDate }) => outOfDate.length > 0).length
    say(`cancelled with ${left} nodes left`)
    expect(left).toBeGreaterThan(0)
    const rest = await long('node', 'rollout', 'demo', '-o', 'json')
    expect(rest.code, rest.stderr).toBe(EXIT.ok)
    expect(linesIn(rest.stdout).at(-1)?.operation?.progress?.done).toBe(left)
  })

  test('a rollout that fails says on which pod and budget, with a code of its own', async () => {
    await settled()
    const within = (timeout: string) =>
      client.patch(
        MANAGED_CLUSTERS,
        { name: 'demo', namespace: NAMESPACE },
        { type: 'merge', body: { spec: { drain: { timeout } } } },
      )
    await within('4s')
    const allow = (maxUnavailable: number) =>
      client.patch(
        DISRUPTION_BUDGETS,
        { name: 'web', namespace: 'default' },
        { type: 'merge', body: { spec: { maxUnavailable } } },
      )
    await allow(0)
    const plan = await eventually('the plan knows the budget', 20_000, async () => {
      const text = await kobe.cliOk('node', 'plan', 'demo', '--group', 'workers', '--offering', 'four')
      return text.includes('default/web') && text
    })
    say(plan)
    const { code, stderr } = await rollout('--offering', 'four')
    say(stderr)
    expect(code).toBe(EXIT.failed)
    expect(stderr).toMatch(/default\/web-\S+ .*PodDisruptionBudget default\/web/)
    await Promise.all([allow(1), within('60s')])
    const again = await long('node', 'rollout', 'demo')
    expect(again.code, again.stdout + again.stderr).toBe(EXIT.ok)
  })
})
