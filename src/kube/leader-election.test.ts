import { afterEach, describe, expect, it } from 'vitest'
import { FakeClock } from '../../test/support/fake-clock.ts'
import { createMemoryKube, type MemoryKube } from '../../test/support/memory-kube.ts'
import { seededRandom } from '../../test/support/seeded-random.ts'
import { LEASES } from '../api/core-resources.ts'
import type { KubeClient } from './client.ts'
import { KubeError } from './errors.ts'
import { type LeaderElectionOptions, runLeaderElection } from './leader-election.ts'

const REF = { namespace: 'kobe-system', name: 'kobe-operator' }
const lost = (): KubeError => new KubeError('Unreachable', 'connection reset')

const stops: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop()
})

interface Candidate {
  readonly log: string[]
  readonly controller: AbortController
  leading: boolean
  ended: boolean
  run: Promise<void>
}

function candidate(
  identity: string,
  client: KubeClient,
  clock: FakeClock,
  more: Partial<LeaderElectionOptions> = {},
): Candidate {
  const controller = new AbortController()
  const made: Candidate = { log: [], controller, leading: false, ended: false, run: Promise.resolve() }
  const options: LeaderElectionOptions = {
    client,
    ...REF,
    identity,
    clock,
    random: () => 0,
    onStarted(signal) {
      made.leading = true
      made.log.push(`${clock.monotonic()} started`)
      signal.addEventListener('abort', () => {
        made.leading = false
      })
    },
    onStopped: (reason) => made.log.push(`${clock.monotonic()} stopped: ${reason}`),
    ...more,
  }
  made.run = runLeaderElection(options, controller.signal).finally(() => {
    made.ended = true
  })
  stops.push(async () => {
    controller.abort()
    await clock.advance(60_000)
    await made.run.catch(() => undefined)
  })
  return made
}

async function leaseOf(kube: MemoryKube) {
  return (await kube.get(LEASES, REF)).spec!
}

describe('leader election', () => {
  it('makes the first candidate the leader and writes a Lease that others understand', async () => {
    const clock = new FakeClock(Date.UTC(2026, 0, 2, 3, 4, 5, 678))
    const kube = createMemoryKube()
    const a = candidate('a', kube, clock)
    await clock.settle()
    expect(a.leading).toBe(true)
    expect(await leaseOf(kube)).toEqual({
      holderIdentity: 'a',
      leaseDurationSeconds: 15,
      acquireTime: '2026-01-02T03:04:05.678000Z',
      renewTime: '2026-01-02T03:04:05.678000Z',
      leaseTransitions: 0,
    })
    await clock.advance(2_000)
    await clock.settle()
    expect(await leaseOf(kube)).toMatchObject({
      acquireTime: '2026-01-02T03:04:05.678000Z',
      renewTime: '2026-01-02T03:04:07.678000Z',
    })
  })

  it('keeps the leader for as long as it renews', async () => {
    const clock = new FakeClock()
    const kube = createMemoryKube()
    const a = candidate('a', kube, clock)
    await clock.settle()
    const b = candidate('b', kube.replica(), clock)
    await clock.advance(300_000)
    expect([a.log, b.log]).toEqual([['0 started'], []])
  })

  it('gives the lead away at once at shutdown, after the work has ended', async () => {
    const clock = new FakeClock()
    const kube = createMemoryKube()
    const work = Promise.withResolvers<void>()
    const a = candidate('a', kube, clock, { onStarted: () => work.promise })
    await clock.settle()
    const b = candidate('b', kube.replica(), clock)
    a.controller.abort()
    await clock.advance(25_000)
    expect(b.leading, 'while the work of a is still ending').toBe(false)
    work.resolve()
    await clock.settle()
    expect(a.ended).toBe(true)
    expect(a.log).toEqual(['0 stopped: shutdown'])
    await clock.advance(2_500)
    expect(b.leading).toBe(true)
    expect((await leaseOf(kube)).leaseTransitions).toBe(1)
  })

  it('lets the Lease expire when the work does not end in time', async () => {
    const clock = new FakeClock()
    const kube = createMemoryKube()
    const a = candidate('a', kube, clock, { onStarted: () => new Promise(() => undefined) })
    await clock.settle()
    a.controller.abort()
    await clock.advance(30_000)
    expect(a.ended).toBe(true)
    expect((await leaseOf(kube)).holderIdentity).toBe('a')
  })

  it('makes another the leader 15 seconds after the last renewal it saw of one that vanished', async () => {
    const clock = new FakeClock()
    const kube = createMemoryKube()
    await kube.create(LEASES, {
      metadata: REF,
      // A clock that is years off must not matter.
      spec: { holderIdentity: 'dead', leaseDurationSeconds: 15, renewTime: '2001-01-01T00:00:00.000000Z' },
    })
    const b = candidate('b', kube, clock)
    await clock.advance(14_900)
    expect(b.leading).toBe(false)
    await clock.advance(2_100)
    expect(b.leading).toBe(true)
  })

  it('waits as long as the holder announced, when that is longer', async () => {
    const clock = new FakeClock()
    const kube = createMemoryKube()
    await kube.create(LEASES, { metadata: REF, spec: { holderIdentity: 'dead', leaseDurationSeconds: 60 } })
    const b = candidate('b', kube, clock)
    await clock.advance(59_000)
    expect(b.leading).toBe(false)
    await clock.advance(3_000)
    expect(b.leading).toBe(true)
  })

  it('stops leading 10 seconds after the last renewal that it sent, before others begin', async () => {
    const clock = new FakeClock()
    const kube = createMemoryKube()
    const mine = kube.replica()
    const a = candidate('a', mine, clock)
    await clock.settle()
    const b = candidate('b', kube, clock)
    await clock.advance(4_000)
    mine.beforeCall = () => {
      throw lost()
    }
    await clock.advance(30_000)
    expect(a.log).toEqual(['0 started', '14000 stopped: lost'])
    expect(a.ended).toBe(true)
    const started = Number(b.log[0]?.split(' ')[0])
    expect(started).toBeGreaterThanOrEqual(19_000)
    expect(started).toBeLessThanOrEqual(22_000)
  })

  it('counts from when it sent a renewal, not from when the answer came', async () => {
    const clock = new FakeClock()
    const kube = createMemoryKube()
    let renewals = 0
    const client: KubeClient = {
      ...kube,
      async replace(type, object) {
        if (++renewals > 1) throw lost()
        const answer = await kube.replace(type, object)
        await clock.after(7_000)
        return answer
      },
    }
    const a = candidate('a', client, clock)
    await clock.advance(30_000)
    expect(a.log).toEqual(['0 started', '12000 stopped: lost'])
  })

  it('stops leading in time when a renewal hangs', async () => {
    const clock = new FakeClock()
    const kube = createMemoryKube()
    const mine = kube.replica()
    const a = candidate('a', mine, clock)
    await clock.advance(1_000)
    mine.beforeCall = () => new Promise(() => undefined)
    await clock.advance(9_000)
    expect(a.log).toEqual(['0 started', '10000 stopped: lost'])
    expect(a.ended).toBe(true)
  })

  it('stops leading at once when it sees another holder', async () => {
    const clock = new FakeClock()
    const kube = createMemoryKube()
    const a = candidate('a', kube, clock)
    await clock.settle()
    await kube.patch(LEASES, REF, { type: 'merge', body: { spec: { holderIdentity: 'thief' } } })
    await clock.advance(4_000)
    await clock.settle()
    expect(a.log.at(-1)).toMatch(/stopped: lost$/)
  })

  it('goes on leading after the machine slept, when nobody took the Lease meanwhile', async () => {
    const clock = new FakeClock()
    const a = candidate('a', createMemoryKube(), clock)
    await clock.settle()
    clock.stepWall(3_600_000)
    await clock.advance(4_000)
    expect(a.log).toEqual(['0 started'])
  })

  it('does not rely on a renewal from before the machine slept', async () => {
    const clock = new FakeClock()
    const mine = createMemoryKube()
    const a = candidate('a', mine, clock)
    await clock.settle()
    mine.beforeCall = () => {
      throw lost()
    }
    clock.stepWall(3_600_000)
    await clock.advance(2_000)
    expect(a.log).toEqual(['0 started', '2000 stopped: lost'])
  })

  it('renews a Lease that was deleted, and no candidate takes its place', async () => {
    const clock = new FakeClock()
    const kube = createMemoryKube()
    const a = candidate('a', kube, clock)
    await clock.settle()
    const b = candidate('b', kube.replica(), clock)
    await clock.advance(2_100)
    await kube.delete(LEASES, REF)
    await clock.advance(60_000)
    expect([a.leading, b.log]).toEqual([true, []])
  })

  it('ends with the error of its work, and gives the lead away', async () => {
    const clock = new FakeClock()
    const kube = createMemoryKube()
    const failure = new Error('a controller could not start')
    const a = candidate('a', kube, clock, { onStarted: () => Promise.reject(failure) })
    const outcome = a.run.catch((error: unknown) => error)
    await clock.advance(3_000)
    expect(await outcome).toBe(failure)
    expect((await leaseOf(kube)).holderIdentity).toBe('')
  })

  it('of a candidate that is stopped ends without a failure', async () => {
    const clock = new FakeClock()
    const kube = createMemoryKube()
    candidate('a', kube, clock)
    await clock.settle()
    const b = candidate('b', kube.replica(), clock)
    await clock.settle()
    b.controller.abort()
    await b.run
    expect(b.log).toEqual([])
  })

  it('refuses durations that could make two leaders', () => {
    const make = () =>
      runLeaderElection(
        {
          client: createMemoryKube(),
          ...REF,
          identity: 'a',
          clock: new FakeClock(),
          onStarted: () => undefined,
          renewDeadlineMs: 15_000,
        },
        new AbortController().signal,
      )
    expect(make).toThrow(RangeError)
  })

  it.each([1, 2, 3, 4, 5, 6])('never has two leaders while requests are slow and lost (seed %d)', async (seed) => {
    const clock = new FakeClock()
    const kube = createMemoryKube()
    const random = seededRandom(seed)
    let isFaulty = true
    const slow = async (): Promise<void> => {
      if (isFaulty && random() < 0.3) await clock.after(random() * 14_000)
    }
    /** Slow or lost before the server sees the request, and slow or lost on the way back. */
    const throughBadNetwork = (inner: MemoryKube): KubeClient => {
      const call = async <R>(send: () => Promise<R>): Promise<R> => {
        await slow()
        if (isFaulty && random() < 0.15) throw lost()
        const answer = await send()
        await slow()
        if (isFaulty && random() < 0.15) throw lost()
        return answer
      }
      return {
        ...inner,
        get: (type, ref) => call(() => inner.get(type, ref)),
        create: (type, object) => call(() => inner.create(type, object)),
        replace: (type, object) => call(() => inner.replace(type, object)),
      }
    }
    const leaders = new Set<string>()
    const together: string[] = []
    let terms = 0
    const run = (name: string, life: number): void => {
      const identity = `${name}-${life}`
      const member = candidate(identity, throughBadNetwork(kube.replica()), clock, {
        random,
        onStarted(signal) {
          terms++
          leaders.add(identity)
          if (leaders.size > 1) together.push(`${clock.monotonic()}: ${[...leaders]}`)
          signal.addEventListener('abort', () => leaders.delete(identity))
        },
        onStopped: () => undefined,
      })
      // A process that lost the lead ends and is started again, as another candidate.
      member.run.then(
        () => member.controller.signal.aborted || run(name, life + 1),
        () => undefined,
      )
    }
    for (const name of ['a', 'b', 'c']) run(name, 0)
    await clock.advance(900_000)
    expect(together).toEqual([])
    expect(terms).toBeGreaterThan(1)
    isFaulty = false
    await clock.advance(60_000)
    expect(leaders.size).toBe(1)
  })
})
