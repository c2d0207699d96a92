import { resolve } from 'node:path'
import { defineCommand, stringOption } from '../define-command.ts'

export const downCommand = defineCommand({
  offline: true,
  details:
    'Also after a crash: host and members that were left running are stopped. State stays unless --purge is given.',
  examples: [
    ['kobe down', 'stop it, keep the state'],
    ['kobe down --purge', 'stop it and forget everything'],
  ],
  options: [
    { flags: '--state-dir <path>', description: 'where state is kept (default: KOBE_STATE_DIR, else ./.kobe)' },
    { flags: '--purge', description: 'remove the state folder too: all clusters, leases and keys in it are lost' },
  ],
  async run(context, input) {
    const { runDown } = await import('../../up/down.ts')
    const stateDir = resolve(context.cwd, stringOption(input, 'stateDir') ?? context.env.stateDir)
    await runDown({ stateDir, purge: input.options['purge'] === true }, context.output)
    return 0
  },
})
