/**
 * How much of the processors was left to us while something was measured. A bound in seconds means a machine that does nothing
 * else; on one that does, the time that we waited for others is not ours to answer for.
 */
import { existsSync, readFileSync } from 'node:fs'
import { cpus } from 'node:os'

/** Milliseconds of processor time. */
interface Spent {
  readonly busy: number
  readonly total: number
  readonly ours: number
}

/**
 * Begins to measure. The answer tells which share of all processors nobody else used, 0 to 1: on a quiet machine 1, so that a
 * time that is multiplied by it is the time itself.
 */
export async function measureShare(ours: () => Promise<number>): Promise<() => Promise<number>> {
  const before = await spent(ours)
  return async () => {
    const after = await spent(ours)
    const others = after.busy - before.busy - (after.ours - before.ours)
    const share = 1 - others / Math.max(1, after.total - before.total)
    return Math.min(1, Math.max(0, share))
  }
}

async function spent(ours: () => Promise<number>): Promise<Spent> {
  const children = await ours()
  const { user, system } = process.cpuUsage()
  let busy = 0
  let total = 0
  for (const { times } of cpus()) {
    const working = times.user + times.nice + times.sys + times.irq
    busy += working
    total += working + times.idle
  }
  const stolen = stolenMs()
  return { busy: busy + stolen, total: total + stolen, ours: children + (user + system) / 1000 }
}

const STAT = '/proc/stat'
/** Of the kernel's counters, on every architecture that Node runs on. */
const MS_PER_TICK = 10

/** What a hypervisor gave to other machines while we wanted to run, of all processors. `os.cpus()` leaves it out. Linux only. */
function stolenMs(): number {
  if (!existsSync(STAT)) return 0
  const [, , , , , , , , steal] = readFileSync(STAT, 'utf8').split(/\s+/, 9)
  return Number(steal) * MS_PER_TICK
}
