/** Options that `kobe lease` and `kobe with-lease` share, and what they ask the API for. */
import type { LeaseClusterOptions } from '../client/lease-cluster.ts'
import { type CommandInput, listOption, type OptionDefinition, stringOption } from './define-command.ts'
import { durationOption } from './duration-option.ts'
import { EXIT, UserError } from './user-error.ts'

export const REQUEST_OPTIONS: readonly OptionDefinition[] = [
  { flags: '--ttl <duration>', description: 'how long to keep it, such as 30m or 1h30m (default: set by the pool)' },
  { flags: '--name <alias>', description: 'a name of your own for the lease, unique among your active ones' },
  { flags: '--fresh', description: 'refuse clusters made from an earlier template of the pool' },
  {
    flags: '--verified',
    description: 'ask for a proof that nothing of the cluster is left afterwards (cleanup mode VerifiedDestroy)',
  },
  {
    flags: '--diagnostics',
    description: 'keep events, resources and logs of the cluster when the lease ends; `kobe diagnostics` fetches them',
  },
  { flags: '--metadata <name=value>', description: 'data for the lease to carry; may be repeated', repeatable: true },
]

export type LeaseRequestOptions = Pick<
  LeaseClusterOptions,
  'ttl' | 'name' | 'fresh' | 'verified' | 'diagnostics' | 'metadata'
>

/** Checks what can be checked here, so that a typing error costs no lease. */
export function requestOptions(input: CommandInput): LeaseRequestOptions {
  durationOption(input, 'ttl')
  const metadata = metadataOf(listOption(input, 'metadata'))
  return {
    ttl: stringOption(input, 'ttl'),
    name: stringOption(input, 'name'),
    fresh: input.options['fresh'] === true,
    verified: input.options['verified'] === true,
    // Not asked for here: what the pool says.
    diagnostics: input.options['diagnostics'] === true ? true : undefined,
    ...(metadata === undefined ? {} : { metadata }),
  }
}

function metadataOf(pairs: readonly string[]): Readonly<Record<string, string>> | undefined {
  if (pairs.length === 0) return undefined
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf('=')
      if (at > 0) return [pair.slice(0, at), pair.slice(at + 1)]
      throw new UserError(`--metadata ${pair} is not a name and a value`, {
        fix: 'write it like --metadata commit=1a2b3c',
        exitCode: EXIT.usage,
      })
    }),
  )
}
