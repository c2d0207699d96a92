import { describe, expect, test } from 'vitest'
import { FakeClock } from '../../../../test/support/fake-clock.ts'
import type { PodRef } from '../../../core/drain/model.ts'
import type { KubeClient } from '../../../kube/client.ts'
import { KubeError } from '../../../kube/errors.ts'
import { createSharedTrials, tryEvictions } from './try-evictions.ts'

const pods = (count: number): PodRef[] =>
  Array.from({ length: count }, (_none, at) => ({ namespace: 'default', name: `p${at}`, uid: `u${at}` }))

/** Answers each request on the next turn, with what `refusal` says of the pod. */
function server(refusal: (path: string) => KubeError | undefined = () => undefined) {
  const sent: { readonly path: string; readonly body: unknown }[] = []
  const load = { now: 0, most: 0 }
  const client = {
    raw: async (_method: string, path: string, body: unknown) => {
      sent.push({ path, body })
      load.now += 1
      load.most = Math.max(load.most, load.now)
      await Promise.resolve()
      load.now -= 1
      const refused = refusal(path)
      if (refused !== undefined) throw refused
      return {}
    },
  }
  return { client: client as unknown as KubeClient, sent, load }
}

describe('evictions on trial', () => {
  test('carry the UID, and ask for nothing to be carried out', async () => {
    const { client, sent } = server()
    await tryEvictions({ client, clock: new FakeClock() }, pods(1))
    expect(sent).toMatchObject([
      {
        path: '/api/v1/namespaces/default/pods/p0/eviction',
        body: { kind: 'Eviction', deleteOptions: { preconditions: { uid: 'u0' }, dryRun: ['All'] } },
      },
    ])
  })

  test('go four at a time, each once, whatever the answers', async () => {
    const budget = new KubeError('TooManyRequests', 'budget', { causes: [{ reason: 'DisruptionBudget' }] })
    const { client, sent, load } = server((path) => (path.includes('/p3/') ? budget : undefined))
    const answers = await tryEvictions({ client, clock: new FakeClock() }, pods(20))
    expect(load.most).toBe(4)
    expect(new Set(sent.map(({ path }) => path)).size).toBe(20)
    expect([...answers.values()].filter(({ answer }) => answer === 'Budget')).toHaveLength(1)
  })

  test.each([
    ['protects itself', new KubeError('TooManyRequests', 'slow down')],
    ['does not answer', new KubeError('Unreachable', 'reset')],
  ])('are over when the server %s', async (_what, refusal) => {
    const { client, sent } = server(() => refusal)
    const answers = await tryEvictions({ client, clock: new FakeClock() }, pods(20))
    expect(sent.length).toBeLessThanOrEqual(4)
    expect(answers.size).toBe(sent.length)
  })

  test('are shared by all who ask at a time, and for a moment after', async () => {
    const clock = new FakeClock()
    const { client, sent } = server()
    const tryAll = createSharedTrials(clock)
    await Promise.all([tryAll(client, pods(3)), tryAll(client, pods(3))])
    await tryAll(client, pods(3))
    expect(sent).toHaveLength(3)
    await clock.advance(2_000)
    await tryAll(client, pods(3))
    expect(sent).toHaveLength(6)
  })
})
