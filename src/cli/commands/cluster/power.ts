import type { CommandContext, CommandDefinition, OptionDefinition } from '../../define-command.ts'
import { defineCommand } from '../../define-command.ts'
import { beginAndFollow, FOLLOW_OPTIONS, followingOf } from '../../nodes/begin-operation.ts'
import { CLUSTER_ARGUMENT } from '../../nodes/cluster-argument.ts'
import { EXIT, UserError } from '../../user-error.ts'

interface Power {
  readonly type: 'Start' | 'Stop' | 'Destroy'
  readonly details: string
  readonly options?: readonly OptionDefinition[]
}

/** Nothing is drained, as everything goes. */
function powerCommand({ type, details, options = [] }: Power): CommandDefinition {
  const verb = type.toLowerCase()
  return defineCommand({
    details,
    examples: [
      [`kobe cluster ${verb} prod-1`, 'and follow it until it is through'],
      [`kobe cluster ${verb} prod-1 ${type === 'Destroy' ? '--yes ' : ''}--no-wait`, 'and go on at once'],
    ],
    args: [CLUSTER_ARGUMENT],
    options: [...options, ...FOLLOW_OPTIONS],
    async run(context, input) {
      const following = followingOf(input)
      const cluster = input.args[0] ?? ''
      if (type === 'Destroy' && input.options['yes'] !== true) await askForName(context, cluster)
      return await beginAndFollow(context, { cluster, type }, following)
    },
  })
}

export const startCommand = powerCommand({
  type: 'Start',
  details: 'External etcd first, then the control nodes, then the workers, each once those before it run.',
})

export const stopCommand = powerCommand({
  type: 'Stop',
  details: 'Workers first, then the control nodes, then external etcd. Nothing is drained: everything goes down.',
})

export const destroyCommand = powerCommand({
  type: 'Destroy',
  details:
    'Its machines are destroyed, and what is on them is lost. At a terminal you are asked for the name; a script says --yes.',
  options: [{ flags: '-y, --yes', description: 'do not ask' }],
})

async function askForName({ ask }: CommandContext, cluster: string): Promise<void> {
  if (ask === undefined) {
    throw new UserError(`destroy would destroy every machine of ${cluster}`, { fix: 'add --yes', exitCode: EXIT.usage })
  }
  const answer = await ask(`This destroys every machine of ${cluster}. Type its name to go on: `)
  if (answer.trim() !== cluster) throw new UserError('nothing is destroyed', { why: 'another name was typed' })
}
