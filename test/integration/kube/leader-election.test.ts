import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { LEASES, NAMESPACES } from '../../../src/api/core-resources.ts'
import type { KubeClient } from '../../../src/kube/client.ts'
import { systemClock } from '../../../src/kube/clock.ts'
import { runLeaderElection } from '../../../src/kube/leader-election.ts'
import { HOST_KINDS, type HostUnderTest } from '../../support/host-under-test.ts'

/** Short enough to wait for an expiry. */
const SHORT = { leaseDurationMs: 4_000, renewDeadlineMs: 3_000, retryPeriodMs: 200 }
/** So long that a change within the deadline of a test is not an expiry. */
const LONG = { leaseDurationMs: 60_000, renewDeadlineMs: 50_000, retryPeriodMs: 200 }

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

  function candidate(lease: string, identity: string, client: KubeClient, times = SHORT) {
    const stopping = new AbortController()
    const run = runLeaderElection(
      {
        client,
        namespace: 'kobe-system',
        name: lease,
        identity,
        clock: systemClock,
        ...times,
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

  it.skipIf(isMissing)('another leads when the leader can no longer renew, and never two', async () => {
    leaders = new Set()
    together = []
    const { client, proxy } = await host.cuttableClient()
    candidate('failover', 'a', client)
    await leader(10_000, /^a$/)
    candidate('failover', 'b', host.client())
    proxy.refuse(true)
    await leader(30_000, /^b$/)
    expect(together).toEqual([])
    const lease = await host.client().get(LEASES, { namespace: 'kobe-system', name: 'failover' })
    expect(lease.spec).toMatchObject({ leaseDurationSeconds: 4, leaseTransitions: 1 })
  })

  it.skipIf(isMissing)('a Lease that is given back is taken at once, long before it expires', async () => {
    leaders = new Set()
    together = []
    const first = candidate('handover', 'a', host.client(), LONG)
    await leader(10_000, /^a$/)
    candidate('handover', 'b', host.client(), LONG)
    await first.stop()
    await leader(30_000, /^b$/)
    expect(together).toEqual([])
  })
})
