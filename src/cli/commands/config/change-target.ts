/** `kobe config set | remove | edit`. */
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { globalConfigPath, readGlobalConfig, type TargetConfig } from '../../../client/config-files.ts'
import {
  readProjectConfig,
  readUserConfig,
  type StoredConfig,
  writeProjectConfig,
  writeUserConfig,
} from '../../config-store.ts'
import { type CommandContext, type CommandInput, defineCommand, stringOption } from '../../define-command.ts'
import { EXIT, UserError } from '../../user-error.ts'

const GLOBAL = { flags: '--global', description: 'in your file instead of .kobe.toml of this folder' }

export const setCommand = defineCommand({
  offline: true,
  details: [
    'Written to .kobe.toml of this folder or one above it, or with --global to your own file; both with mode 0600. Keep a file',
    'with a token out of version control. What is not given stays as it is.',
  ].join('\n'),
  examples: [
    ['kobe config set ci --endpoint https://kobe.example.com --token-file ./token --global', 'for yourself'],
    ['kobe config set local --endpoint http://127.0.0.1:7080 --auth none', 'without a token'],
  ],
  args: [{ name: 'target', description: 'name of the target', required: true, complete: 'target' }],
  options: [
    { flags: '--endpoint <url>', description: 'base URL of the Kobe API; required for a new target' },
    { flags: '--auth <method>', description: 'default: token where there is one', choices: ['none', 'token'] },
    { flags: '--token-file <path>', description: 'take the token from this file', complete: 'file' },
    { flags: '--token <token>', description: 'the token itself; seen by everybody who can list processes' },
    { flags: '--ca <path>', description: 'PEM file of the CA of an https endpoint', complete: 'file' },
    GLOBAL,
  ],
  async run(context, input) {
    const name = input.args[0] ?? ''
    const path = await changeTargets(context, input, (targets) => ({
      ...targets,
      [name]: targetOf(context, input, targets[name]),
    }))
    context.output.line(`${name} is written to ${path}`)
    return EXIT.ok
  },
})

async function changeTargets(
  context: CommandContext,
  input: CommandInput,
  change: (targets: StoredConfig['targets']) => StoredConfig['targets'],
): Promise<string> {
  if (input.options['global'] === true) {
    const config = readUserConfig(context)
    return writeUserConfig(context, { ...config, targets: change(config.targets) })
  }
  const config = await readProjectConfig(context)
  return await writeProjectConfig(context, { ...config, targets: change(config.targets) })
}

function targetOf(context: CommandContext, input: CommandInput, before: TargetConfig | undefined): TargetConfig {
  const endpoint = endpointOf(input, before)
  // The token of another endpoint is not carried over to a new one.
  const { auth: _, token: oldToken, ...rest }: Partial<TargetConfig> = before ?? {}
  const token = tokenOf(context, input) ?? (endpoint === before?.endpoint ? oldToken : undefined)
  const auth = stringOption(input, 'auth') ?? (token === undefined ? 'none' : 'token')
  const ca = stringOption(input, 'ca')
  return {
    ...rest,
    endpoint,
    auth,
    ...(token === undefined || auth === 'none' ? {} : { token }),
    ...(ca === undefined ? {} : { ca: resolve(context.cwd, ca) }),
  }
}

function endpointOf(input: CommandInput, before: TargetConfig | undefined): string {
  const endpoint = stringOption(input, 'endpoint') ?? before?.endpoint
  if (endpoint === undefined) {
    throw new UserError('a new target needs --endpoint', { fix: 'add --endpoint <url>', exitCode: EXIT.usage })
  }
  if (URL.canParse(endpoint) && /^https?:/.test(endpoint)) return endpoint
  throw new UserError(`${endpoint} is not an http or https URL`, {
    fix: 'write it like https://kobe.example.com',
    exitCode: EXIT.usage,
  })
}

function tokenOf({ cwd }: CommandContext, input: CommandInput): string | undefined {
  const file = stringOption(input, 'tokenFile')
  if (file === undefined) return stringOption(input, 'token')
  try {
    return readFileSync(resolve(cwd, file), 'utf8').trim()
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : undefined
    throw new UserError(`--token-file ${file} cannot be read`, { why, exitCode: EXIT.usage, cause })
  }
}

export const removeCommand = defineCommand({
  offline: true,
  examples: [['kobe config remove ci --global', 'from your own file']],
  args: [{ name: 'target', description: 'name of the target', required: true, complete: 'target' }],
  options: [GLOBAL],
  async run(context, input) {
    const name = input.args[0] ?? ''
    const path = await changeTargets(context, input, (targets) => {
      if (Object.hasOwn(targets, name)) {
        return Object.fromEntries(Object.entries(targets).filter(([other]) => other !== name))
      }
      throw new UserError(`there is no target ${name} in this file`, {
        fix: '`kobe config list` shows which file it is in; --global is for your own',
        exitCode: EXIT.usage,
      })
    })
    context.output.line(`${name} is removed from ${path}`)
    return EXIT.ok
  },
})

export const editCommand = defineCommand({
  offline: true,
  details: 'The editor is VISUAL or EDITOR. The file is checked when it is closed.',
  examples: [['kobe config edit', 'your own file']],
  async run(context) {
    const path = globalConfigPath(context.env.configHome)
    const editor = context.env.editor
    if (editor === undefined) {
      throw new UserError('no editor is known', { fix: `set EDITOR, or edit ${path} yourself`, exitCode: EXIT.usage })
    }
    if (readGlobalConfig(context.env.configHome) === undefined) writeUserConfig(context, { targets: {} })
    const code = await new Promise<number>((done, fail) => {
      // An editor is often a command with options, so a shell reads it.
      const child = spawn('sh', ['-c', `${editor} "$1"`, 'sh', path], { stdio: 'inherit' })
      child.on('error', fail)
      child.on('exit', (exit) => done(exit ?? 1))
    })
    readGlobalConfig(context.env.configHome)
    return code === 0 ? EXIT.ok : EXIT.failure
  },
})
