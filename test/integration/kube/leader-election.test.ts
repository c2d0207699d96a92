import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { LEASES, NAMESPACES } from '../../../src/api/core-resources.ts'
import type { KubeClient } from '../../../src/kube/client.ts'
import { systemClock } from '../../../src/kube/clock.ts'
import { runLeaderElection } from '../../../src/kube/leader-election.ts'
import { HOST_KINDS, type HostUnderTest } from '../../support/host-under-test.ts'

/** A tenth of what runs in production. */
const TIMES = { leaseDurationMs: 1_500, renewDeadlineMs: 1_000, retryPeriodMs: 200 }

describe.each(HOST_KINDS)('leader election on $name', ({ isMissing, start }) => {
  let host: HostUnderTest
  let leaders: Set<string>
  let together: string[]
  const stops: (() => Promise<void>)[] = []

  beforeAll(async () => {
    if (isMissing) return
    host = await start()
    await host.client().create(NAMESPACES, { metadata: { name: 'kobe-system' } })
  })
  afterEach(async () => {
    for (const stop of stops.splice(0)) await stop()
  })
  afterAll(() => host?.stop())

  function candidate(lease: string, identity: string, client: KubeClient) {
    const stopping = new AbortController()
    const run = runLeaderElection(
      {
        client,
        namespace: 'kobe-system',
        name: lease,
        identity,
        clock: systemClock,
        ...TIMES,
        onStarted(signal) {
          leaders.add(identity)
          if (leaders.size > 1) together.push([...leaders].join('+'))
          signal.addEventListener('abort', () => leaders.delete(identity))
        },
      },
      stopping.signal,
    )
    const stop = async (): Promise<void> => {
      stopping.abort()
      await run
    }
    stops.push(stop)
    return { stop, run }
  }
  const leader = (deadlineMs: number, expected: RegExp) =>
    expect.poll(() => [...leaders].join('+'), { timeout: deadlineMs, interval: 10 }).toMatch(expected)

  it.skipIf(isMissing)('one of three leads; another does soon after it has gone, and never two', async () => {
    leaders = new Set()
    together = []
    const { client, proxy } = await host.cuttableClient()
    candidate('failover', 'a', client)
    await leader(5_000, /^a$/)
    const b = candidate('failover', 'b', host.client())
    const c = candidate('failover', 'c', host.client())
    proxy.refuse(true)
    await leader(10_000, /^[bc]$/)
    const [second] = leaders
    const went = performance.now()
    await (second === 'b' ? b : c).stop()
    await leader(5_000, second === 'b' ? /^c$/ : /^b$/)
    expect(performance.now() - went, 'a released Lease is taken at once').toBeLessThan(1_900)
    expect(together).toEqual([])
    const lease = await host.client().get(LEASES, { namespace: 'kobe-system', name: 'failover' })
    expect(lease.spec).toMatchObject({ leaseDurationSeconds: 2, leaseTransitions: expect.any(Number) })
  })
})
