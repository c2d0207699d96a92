import { describe, expect, it } from 'vitest'
import { FakeClock } from '../../test/support/fake-clock.ts'
import { backoffMs, createBackoff } from './backoff.ts'
import { systemClock } from './clock.ts'

describe('the system clock', () => {
  it('fires a timer once, at its time', async () => {
    const before = systemClock.monotonic()
    await new Promise<void>((resolve) => systemClock.setTimer(20, resolve))
    expect(systemClock.monotonic() - before).toBeGreaterThanOrEqual(15)
  })

  it('does not fire a timer of more than 24.8 days at once, as setTimeout does', async () => {
    let fired = false
    const cancel = systemClock.setTimer(30 * 24 * 3_600_000, () => {
      fired = true
    })
    await systemClock.after(20)
    expect(fired).toBe(false)
    cancel()
    cancel()
  })

  it('ends a wait when its signal aborts, before or during it, without an error', async () => {
    const controller = new AbortController()
    const waiting = systemClock.after(60_000, controller.signal)
    controller.abort()
    await waiting
    await systemClock.after(60_000, controller.signal)
  })
})

describe('the fake clock', () => {
  it('fires timers in the order of their times, those set while it moves too', async () => {
    const clock = new FakeClock(0)
    const fired: string[] = []
    clock.setTimer(20, () => fired.push(`b ${clock.now()}`))
    clock.setTimer(10, () => {
      fired.push(`a ${clock.now()}`)
      clock.setTimer(5, () => fired.push(`c ${clock.now()}`))
    })
    const cancel = clock.setTimer(12, () => fired.push('never'))
    cancel()
    await clock.advance(20)
    expect(fired).toEqual(['a 10', 'c 15', 'b 20'])
    expect([clock.now(), clock.monotonic(), clock.pending]).toEqual([20, 20, 0])
  })

  it('lets the wall clock be stepped without the other', () => {
    const clock = new FakeClock(0)
    clock.stepWall(-500)
    expect([clock.now(), clock.monotonic()]).toEqual([-500, 0])
  })
})

describe('a backoff', () => {
  it('doubles from the base to the limit, of which a random half is taken off', () => {
    const all = { baseMs: 100, maxMs: 1_000, random: () => 1 }
    expect([0, 1, 2, 3, 4, 99].map((failures) => backoffMs(failures, all))).toEqual([100, 200, 400, 800, 1000, 1000])
    expect(backoffMs(3, { ...all, random: () => 0 })).toBe(400)
  })

  it('starts anew after a reset', () => {
    const backoff = createBackoff({ baseMs: 100, maxMs: 1_000, random: () => 1 })
    expect([backoff.next(), backoff.next()]).toEqual([100, 200])
    backoff.reset()
    expect(backoff.next()).toBe(100)
  })
})
