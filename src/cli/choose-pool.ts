/** The pool when nobody says which: the only one, or the one a person chooses. */
import { choose } from './choose.ts'
import type { CommandContext } from './define-command.ts'
import { EXIT, UserError } from './user-error.ts'

export async function choosePool(context: CommandContext): Promise<string> {
  const pools = await (await context.api()).call('listPools', {}, { signal: context.signal })
  const [only, ...others] = pools
  if (only === undefined) {
    throw new UserError('there is no pool that you may lease from', {
      fix: 'apply a ClusterPool, or ask for an AccessPolicy that names one',
      exitCode: EXIT.notFound,
    })
  }
  if (others.length === 0) return only.name
  const rows = pools.map(({ name, phase = 'Unknown', ready }) => [name, phase, `${ready} ready`])
  const chosen = await choose(context, 'Which pool?', rows)
  if (chosen !== undefined) return chosen
  throw new UserError('which pool?', {
    why: `there are ${pools.length}: ${pools.map(({ name }) => name).join(', ')}`,
    fix: '`kobe lease <pool>`',
    exitCode: EXIT.usage,
  })
}
