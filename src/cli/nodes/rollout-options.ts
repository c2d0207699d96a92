/** How a rollout is asked for, and planned, on the command line. */
import type { Input } from '../../client/api.ts'
import { type CommandInput, listOption, type OptionDefinition, stringOption } from '../define-command.ts'
import { EXIT, UserError } from '../user-error.ts'
import { SETTINGS_OPTIONS, settingsOptions } from './settings-options.ts'

export type RolloutRequest = Input<'planRolloutOfSettings'>['body']

export const ROLLOUT_OPTIONS: readonly OptionDefinition[] = [
  ...SETTINGS_OPTIONS,
  {
    flags: '--max-unavailable <amount>',
    description: 'most workers of a group at a time, a number or a percentage (default: what the group says)',
  },
  { flags: '--allow-last-worker', description: 'take down the only worker too: nothing serves meanwhile' },
  { flags: '--node <name>', description: 'only this node; may be repeated', repeatable: true },
  { flags: '--zone <name>', description: 'only nodes of this zone; may be repeated', repeatable: true },
  { flags: '--label <key=value>', description: 'only nodes with this label; may be repeated', repeatable: true },
]

const AMOUNT = /^([1-9]\d{0,4}|([1-9]\d?|100)%)$/

export function rolloutRequest(input: CommandInput): RolloutRequest {
  const settings = settingsOptions(input)
  const most = stringOption(input, 'maxUnavailable')
  if (most !== undefined && !AMOUNT.test(most)) {
    throw new UserError(`--max-unavailable ${most} is neither a number nor a percentage`, {
      fix: 'write it like 2 or 10%',
      exitCode: EXIT.usage,
    })
  }
  const selector = selectorOf(input)
  return {
    ...(settings === undefined ? {} : { settings }),
    ...(most === undefined ? {} : { maxUnavailable: most.endsWith('%') ? most : Number(most) }),
    ...(input.options['allowLastWorker'] === true ? { allowLastWorker: true } : {}),
    ...(Object.keys(selector).length === 0 ? {} : { selector }),
  }
}

function selectorOf(input: CommandInput): NonNullable<RolloutRequest['selector']> {
  const names = [...listOption(input, 'node')]
  const zones = [...listOption(input, 'zone')]
  const labels = listOption(input, 'label').map(labelOf)
  return {
    ...(names.length === 0 ? {} : { names }),
    ...(zones.length === 0 ? {} : { zones }),
    ...(labels.length === 0 ? {} : { matchLabels: Object.fromEntries(labels) }),
  }
}

function labelOf(text: string): readonly [string, string] {
  const at = text.indexOf('=')
  if (at > 0) return [text.slice(0, at), text.slice(at + 1)]
  throw new UserError(`--label ${text} is not a key and a value`, {
    fix: 'write it like --label disk=ssd',
    exitCode: EXIT.usage,
  })
}
