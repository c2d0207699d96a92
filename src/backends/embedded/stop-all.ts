/** Ends every member of a launcher and keeps its files, so that a later start finds them again. */
import type { Clock } from '../../kube/clock.ts'
import type { Launcher } from './launcher.ts'

/** SIGTERM, SIGKILL after 5 s, and time for the system to clean up. */
const STOP_TIMEOUT_MS = 15_000
const POLL_MS = 25

export interface StopReport {
  /** How many were running. */
  readonly running: number
  /** Names of those that could not be stopped in time; normally none. */
  readonly stuck: readonly string[]
}

export async function stopAllMembers(launcher: Launcher, clock: Clock): Promise<StopReport> {
  const members = await launcher.list()
  const ends = await Promise.all(members.map(({ name, uid }) => stopMember(() => launcher.stop(name, uid), clock)))
  return {
    running: ends.filter((end) => end !== 'was not running').length,
    stuck: members.filter((_, position) => ends[position] === 'stuck').map(({ name }) => name),
  }
}

export async function stopMember(
  stop: () => Promise<{ readonly gone: boolean }>,
  clock: Clock,
): Promise<'was not running' | 'stopped' | 'stuck'> {
  if ((await stop()).gone) return 'was not running'
  const deadline = clock.monotonic() + STOP_TIMEOUT_MS
  while (clock.monotonic() < deadline) {
    await clock.after(POLL_MS)
    if ((await stop()).gone) return 'stopped'
  }
  return 'stuck'
}
