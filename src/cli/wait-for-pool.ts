/** Waits until a pool is as somebody needs it, looking once a second; a stalled pool ends the wait. */
import { setTimeout as pause } from 'node:timers/promises'
import type { KobeApi, PoolView } from '../client/api.ts'
import { KobeError } from '../client/errors.ts'
import type { CommandContext } from './define-command.ts'
import { EXIT, UserError } from './user-error.ts'

const LOOK_EVERY_MS = 1_000

export interface PoolGoal {
  readonly name: string
  holds(pool: PoolView): boolean
}

export function parsePoolGoal(text: string): PoolGoal {
  const ready = /^ready(?:=(\d+))?$/.exec(text)
  if (ready !== null) return { name: text, holds: (pool) => pool.ready >= Number(ready[1] ?? 1) }
  if (text === 'healthy') return { name: text, holds: ({ phase }) => phase === 'Healthy' }
  if (text === 'empty') {
    return {
      name: text,
      holds: (pool) =>
        pool.ready + pool.leased + pool.creating + pool.recycling + pool.unhealthy + pool.quarantined === 0,
    }
  }
  throw new UserError(`a pool is never ${text}`, {
    fix: 'use healthy, ready, ready=<n> or empty',
    exitCode: EXIT.usage,
  })
}

export interface PoolWait {
  readonly name: string
  /** One of them is enough. */
  readonly goals: readonly PoolGoal[]
  readonly timeoutMs: number | undefined
}

/** Throws `KobeError`: `stalled`, `timeout`, or what the API says. */
export async function waitForPool(
  { output, signal }: CommandContext,
  api: KobeApi,
  { name, goals, timeoutMs = Number.POSITIVE_INFINITY }: PoolWait,
): Promise<PoolView> {
  const deadline = performance.now() + timeoutMs
  const wanted = goals.map((goal) => goal.name).join(' or ')
  for (;;) {
    const pool = await api.call('getPool', { params: { name } }, { signal })
    if (goals.some((goal) => goal.holds(pool))) return pool
    if (pool.stalled !== undefined) {
      throw new KobeError('stalled', `pool ${name} is stalled: ${pool.stalled.reason}`, { why: pool.stalled.message })
    }
    if (performance.now() > deadline) {
      throw new KobeError('timeout', `pool ${name} did not become ${wanted} in time`, {
        why: describePool(pool),
        fix: `\`kobe explain pool ${name}\` and \`kobe plan pool ${name}\` say more`,
      })
    }
    output.progress(`${name}: waiting for ${wanted} - ${describePool(pool)}`, { pool })
    await pause(LOOK_EVERY_MS, undefined, { signal })
  }
}

function describePool({ phase, ready, leased, creating, recycling, queueDepth }: PoolView): string {
  const counts = `${ready} ready, ${leased} leased, ${creating} creating, ${recycling} recycling`
  return `${phase ?? 'Unknown'}: ${counts}, ${queueDepth} in the queue`
}
