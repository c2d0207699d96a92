/** Options that every command takes, before or after its name. */
import type { OptionDefinition } from './define-command.ts'
import { OUTPUT_FORMATS } from './output.ts'

export const OUTPUT_OPTION: OptionDefinition = {
  flags: '-o, --output <format>',
  description: 'how to print (default: text)',
  choices: OUTPUT_FORMATS,
}

/** Which endpoint, and with which token. */
export const TARGET_OPTIONS: readonly OptionDefinition[] = [
  { flags: '--target <name>', description: 'a target of `kobe config` (default: KOBE_TARGET)', complete: 'target' },
  {
    flags: '--endpoint <url>',
    description: 'base URL of the Kobe API (default: KOBE_ENDPOINT, else the target in use, else the local `kobe up`)',
  },
  {
    flags: '--token-file <path>',
    description: 'file with the bearer token (default: KOBE_TOKEN, else that of the target)',
    complete: 'file',
  },
  { flags: '--ca <path>', description: 'PEM file of the CA of an https endpoint', complete: 'file' },
]
