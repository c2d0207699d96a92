import { describe, expect, it } from 'vitest'
import { FakeClock } from '../../test/support/fake-clock.ts'
import { createEventPace } from './event-pace.ts'

/** How many turns are given within `ms`. */
async function turnsWithin(ms: number, hurried = false): Promise<number> {
  const clock = new FakeClock()
  const pace = createEventPace(clock)
  if (hurried) pace.hurry()
  let turns = 0
  const take = async (): Promise<void> => {
    for (; turns < 200; turns += 1) await pace.turn()
  }
  const taking = take()
  await clock.advance(ms)
  const seen = turns
  await clock.advance(10_000)
  await taking
  return seen
}

describe('the pace of events', () => {
  it.each([
    ['a burst of 25', 0, 25],
    ['and then 50 a second', 1_000, 75],
  ])('%s', async (_, ms, turns) => {
    expect(await turnsWithin(ms)).toBe(turns)
  })

  it('ends every wait when it has to hurry, also one that has begun', async () => {
    expect(await turnsWithin(0, true)).toBe(200)
    const clock = new FakeClock()
    const pace = createEventPace(clock)
    pace.recorded()
    const calm = pace.calm()
    const hurried = pace.hurry()
    await calm
    hurried()
    pace.recorded()
    let isCalm = false
    const calmAgain = pace.calm().then(() => {
      isCalm = true
    })
    await clock.advance(99)
    expect(isCalm).toBe(false)
    await clock.advance(1)
    await calmAgain
  })
})
