/** Tells a scenario once, with the operator dying (or losing an answer) at one of its writes; a fresh one goes on. */
import type { Fault } from '../../support/faulty-client.ts'
import { createOperatorWorld, type OperatorWorld, type WorldHost } from '../../support/operator-world.ts'
import { endState } from './end-state.ts'
import type { CrashScenario } from './scenarios.ts'

export interface Told {
  /** Writes of the first life. */
  readonly writes: number
  /** Whether the fault came about: a run may need fewer writes than the one before. */
  readonly hit: boolean
  readonly end: string
}

const PATIENCE_MS = 60_000

/** @throws Error when the end is not `end` (when that is given), or an invariant was violated on the way. */
export async function tellOnce(
  host: WorldHost,
  scenario: CrashScenario,
  { fault, end }: { readonly fault?: Fault; readonly end?: string } = {},
): Promise<Told> {
  await using world = await createOperatorWorld(host, {
    ...(fault === undefined ? {} : { fault }),
    patienceMs: PATIENCE_MS,
  })
  const { client, over } = world.operator()
  const stopped = new AbortController()
  const living = keepAlive(world, stopped.signal)
  try {
    await scenario.tell(world)
    if (end !== undefined) await world.until(`the end is as without the fault: ${end}`, () => endState(world) === end)
  } finally {
    stopped.abort()
    await living
  }
  const twice = [...world.history.bindings.values()].filter((members) => members.length > 1)
  const wrong = [...world.history.violations, ...twice.map((members) => `one lease was bound to ${members}`)]
  if (wrong.length > 0) throw new Error(wrong.join('; '))
  return {
    writes: client.writes.length,
    hit: fault !== undefined && (fault.kind === 'lost' ? client.writes.length >= fault.write : over.aborted),
    end: await restingEnd(world),
  }
}

/** A Secret may still be on its way, and what is collected goes a moment later. */
async function restingEnd(world: OperatorWorld): Promise<string> {
  await world.quiet()
  return endState(world)
}

/** Starts a new operator whenever the present one has died. */
async function keepAlive(world: OperatorWorld, stopped: AbortSignal): Promise<void> {
  while (!stopped.aborted) {
    const { over } = world.operator()
    await new Promise<void>((resolve) => {
      AbortSignal.any([over, stopped]).addEventListener('abort', () => resolve())
      if (over.aborted || stopped.aborted) resolve()
    })
    if (stopped.aborted) return
    await world.operator().crash()
    await world.start()
  }
}

export interface EveryWrite {
  readonly scenario: string
  readonly runs: number
  readonly hit: number
  readonly failures: readonly string[]
  readonly end: string
  readonly milliseconds: number
}

const AT_ONCE = 4

/** One run for each write, each with the fault at that write. */
export async function tellWithEveryFault(
  host: WorldHost,
  scenario: CrashScenario,
  kind: Fault['kind'],
): Promise<EveryWrite> {
  const startedAt = performance.now()
  const failures: string[] = []
  const { writes, end } = await tellOnce(host, scenario).catch((error: unknown) => {
    failures.push(`without any fault: ${textOf(error)}`)
    return { writes: 0, end: '' }
  })
  let next = 1
  let hit = 0
  const lane = async (): Promise<void> => {
    while (next <= writes) {
      const write = next++
      try {
        const told = await tellOnce(host, scenario, { fault: { kind, write }, end })
        if (told.hit) hit += 1
      } catch (error) {
        failures.push(`${kind} write ${write}: ${textOf(error)}`)
      }
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, lane))
  const milliseconds = Math.round(performance.now() - startedAt)
  return { scenario: scenario.name, runs: writes, hit, failures, end, milliseconds }
}

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
