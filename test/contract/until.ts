import { setTimeout as delay } from 'node:timers/promises'

/** Polls a condition; fails with its description when the deadline passes. */
export async function untilTrue(condition: () => Promise<boolean>, what: string, deadlineMs: number): Promise<void> {
  const end = performance.now() + deadlineMs
  while (!(await condition())) {
    if (performance.now() > end) throw new Error(`after ${deadlineMs} ms it is not the case that ${what}`)
    await delay(10)
  }
}
