/** The operator is killed, started again, and doubled; clusters and leases go on. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createTestKobe, type TestKobe } from '../support/kobe.ts'
import { eventually, hasKubectl, kubectl, NODE, ROOT, type Running, start } from '../support/run.ts'
import { say } from '../support/say.ts'

interface Lease {
  id: string
  kubeconfigPath: string
  cluster_name: string
}

describe.skipIf(!hasKubectl)('kill -9 of the operator', () => {
  let kobe: TestKobe
  let running: Running

  beforeEach(async () => {
    kobe = createTestKobe()
    running = await kobe.up()
  })
  afterEach(() => kobe.dispose())

  const host = (...args: string[]) => kubectl(kobe.hostKubeconfig, args, { env: kobe.env })
  const uids = async () =>
    (await host('get', 'clusterinstance,clusterlease', '-n', 'kobe-system', '-o', 'jsonpath={.items[*].metadata.uid}'))
      .split(' ')
      .sort()
  const kill9 = async () => {
    running.child.kill('SIGKILL')
    await running.exited
  }

  test('then a new start: same clusters, same leases, still usable', async () => {
    const lease = await kobe.json<Lease>('lease', 'ci-small')
    await kubectl(lease.kubeconfigPath, ['create', 'namespace', 'kept'], { env: kobe.env })
    await eventually('the pool is warm again', 10_000, async () =>
      /ci-small +Healthy +2 +1/.test(await kobe.cliOk('status')),
    )
    const before = await uids()
    await kill9()
    say('killed; starting again')
    running = await kobe.up()
    expect(running.output()).toContain('was still running')
    expect(await uids()).toEqual(before)
    const seen = await kubectl(lease.kubeconfigPath, ['get', 'namespace', 'kept', '-o', 'name'], { env: kobe.env })
    expect(seen).toContain('kept')
    expect(await kobe.cliOk('list')).toContain(lease.id)
  })

  test('at several moments of a lease: nothing is lost and nothing is doubled', async () => {
    for (const delayMs of [0, 20, 60, 150]) {
      const asking = kobe.cli('lease', 'ci-small', '--no-wait', '-o', 'json')
      await new Promise((resolve) => setTimeout(resolve, delayMs))
      await kill9()
      const answer = await asking
      running = await kobe.up()
      if (answer.code === 0) {
        const { id }: Lease = JSON.parse(answer.stdout)
        await eventually(`${id} is bound`, 15_000, async () => {
          const leases = await kobe.json<{ id: string; phase: string }[]>('list')
          return leases.find((lease) => lease.id === id)?.phase === 'Bound'
        })
      }
      await releaseAll()
      await expectSettled()
    }
  })

  test('and everything else: after a start the state of the folder is served again', async () => {
    const lease = await kobe.json<Lease>('lease', 'ci-small')
    await kubectl(lease.kubeconfigPath, ['create', 'namespace', 'kept'], { env: kobe.env })
    running.child.kill('SIGINT')
    expect(await running.exited).toBe(0)
    running = await kobe.up()
    const seen = await eventually('the leased cluster answers', 10_000, () =>
      kubectl(lease.kubeconfigPath, ['get', 'namespace', 'kept', '-o', 'name'], { env: kobe.env }),
    )
    expect(seen).toContain('kept')
  })

  test('with two operators: the second takes over in at most 20 s and nothing is doubled', async () => {
    const args = [
      'operator',
      '--kubeconfig',
      kobe.hostKubeconfig,
      '--state-dir',
      kobe.stateDir,
      '--http-port',
      '0',
      '--https-port',
      '0',
    ]
    const second = start(NODE, [`${ROOT}/bin/kobe.js`, ...args], { cwd: kobe.dir, env: kobe.env })
    try {
      await eventually('the second operator waits', 15_000, async () => second.output().includes('waiting to lead'))
      const before = await uids()
      await kill9()
      const killedAt = Date.now()
      await eventually('the second operator leads', 20_000, async () => second.output().includes('started leading'))
      say(`the second operator led after ${Date.now() - killedAt} ms`)
      expect(await uids()).toEqual(before)
      await host('delete', 'clusterinstance', '-n', 'kobe-system', '--all', '--wait=false')
      await expectSettled()
    } finally {
      second.child.kill('SIGTERM')
      await second.exited
    }
  })

  async function releaseAll(): Promise<void> {
    for (const { id } of await kobe.json<Lease[]>('list')) await kobe.cliOk('release', id)
  }

  async function expectSettled(): Promise<void> {
    await eventually('two warm members and nothing else', 20_000, async () => {
      const items: { status?: { phase?: string } }[] = JSON.parse(
        await host('get', 'clusterinstance', '-n', 'kobe-system', '-o', 'json'),
      ).items
      return items.length === 2 && items.every((item) => item.status?.phase === 'Ready')
    })
  }
})
