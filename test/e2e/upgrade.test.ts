/** A changed pool rolls its members: Ready never under the floor, leased members untouched. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestKobe, type TestKobe } from '../support/kobe.ts'
import { eventually, hasKubectl, KUBECTL, kubectl, start } from '../support/run.ts'
import { say } from '../support/say.ts'

interface Instance {
  metadata: { name: string; uid: string; resourceVersion: string }
  status?: { phase?: string; specHash?: string }
}

describe.skipIf(!hasKubectl)('a changed version', () => {
  let kobe: TestKobe

  beforeAll(async () => {
    kobe = createTestKobe()
    await kobe.up()
  })
  afterAll(() => kobe.dispose())

  const host = (...args: string[]) => kubectl(kobe.hostKubeconfig, args, { env: kobe.env })
  const instances = async (): Promise<Instance[]> =>
    JSON.parse(await host('get', 'clusterinstance', '-n', 'kobe-system', '-o', 'json')).items

  test('rolls the members one by one, and Ready is never under the floor', async () => {
    const lease = await kobe.json<{ id: string; cluster_name: string; kubeconfigPath: string }>('lease', 'ci-small')
    await eventually('two warm members beside the leased one', 10_000, async () => {
      return (await instances()).filter((item) => item.status?.phase === 'Ready').length === 2
    })
    const before = await instances()
    const args = [
      '--kubeconfig',
      kobe.hostKubeconfig,
      'get',
      'clusterinstance',
      '-n',
      'kobe-system',
      '-w',
      '-o',
      'json',
      '--output-watch-events',
    ]
    const watch = start(KUBECTL, args, { env: kobe.env })
    await eventually('the watch', 10_000, async () => parseEvents(watch.output()).length >= before.length)

    const patch = '{"spec":{"cluster":{"version":"v1.34.1"}}}'
    await host('patch', 'clusterpool', 'ci-small', '-n', 'kobe-system', '--type=merge', '-p', patch)
    const oldHash = before[0]?.status?.specHash
    await eventually('only members of the new template, and the leased one', 60_000, async () => {
      const now = await instances()
      const idle = now.filter((item) => item.metadata.name !== lease.cluster_name)
      return (
        idle.length === 2 && idle.every((item) => item.status?.phase === 'Ready' && item.status.specHash !== oldHash)
      )
    })
    watch.child.kill()
    await watch.exited

    const lowest = lowestReady(parseEvents(watch.output()), before.length)
    say(`lowest number of Ready members during the upgrade: ${lowest}`)
    expect(lowest).toBeGreaterThanOrEqual(2)
    const leased = (await instances()).find((item) => item.metadata.name === lease.cluster_name)
    expect(leased?.metadata.uid).toBe(before.find((item) => item.metadata.name === lease.cluster_name)?.metadata.uid)
    expect(await kubectl(lease.kubeconfigPath, ['get', 'ns', 'default', '-o', 'name'], { env: kobe.env })).toContain(
      'default',
    )
    const pool = JSON.parse(await host('get', 'clusterpool', 'ci-small', '-n', 'kobe-system', '-o', 'json'))
    expect(pool.status.phase).toBe('Healthy')
    const fresh = await kobe.json<{ kubeconfigPath: string }>('lease', 'ci-small')
    expect(await kubectl(fresh.kubeconfigPath, ['version'], { env: kobe.env })).toContain('v1.34.1')
  })
})

interface Event {
  type: 'ADDED' | 'MODIFIED' | 'DELETED'
  object: Instance
}

/** kubectl prints one event a line; the last line may be cut off. */
function parseEvents(text: string): Event[] {
  const complete = text.slice(0, text.lastIndexOf('\n') + 1)
  return complete
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
}

/** The fewest Ready members at any point, after the first `known` events have told what is there. */
function lowestReady(events: readonly Event[], known: number): number {
  const phases = new Map<string, string>()
  let lowest = Number.POSITIVE_INFINITY
  for (const [position, { type, object }] of events.entries()) {
    if (type === 'DELETED') phases.delete(object.metadata.uid)
    else phases.set(object.metadata.uid, object.status?.phase ?? 'Creating')
    if (position < known - 1) continue
    lowest = Math.min(lowest, [...phases.values()].filter((phase) => phase === 'Ready').length)
  }
  return lowest
}
