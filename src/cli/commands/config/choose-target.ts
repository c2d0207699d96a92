/** `kobe config list | current | use | view`. */
import { KobeError } from '../../../client/errors.ts'
import { configFiles, resolveTarget } from '../../../client/target.ts'
import { readProjectConfig, readUserConfig, writeProjectConfig, writeUserConfig } from '../../config-store.ts'
import { type CommandContext, defineCommand } from '../../define-command.ts'
import { EXIT, UserError } from '../../user-error.ts'

export const listTargetsCommand = defineCommand({
  offline: true,
  examples: [['kobe config list', 'with a star at the one in use']],
  async run(context) {
    const { output, format } = context
    const targets = await visibleTargets(context)
    if (format === 'json' || format === 'yaml') {
      await output.data(targets, format)
      return EXIT.ok
    }
    if (targets.length === 0) output.note('No targets. `kobe config set <name> --endpoint <url>` makes one.')
    else {
      output.table(
        ['', 'TARGET', 'ENDPOINT', 'AUTH', 'FILE'],
        targets.map(({ name, endpoint, auth, file, current }) => [current ? '*' : ' ', name, endpoint, auth, file]),
      )
    }
    return EXIT.ok
  },
})

interface VisibleTarget {
  readonly name: string
  readonly endpoint: string
  readonly auth: string
  readonly file: string
  readonly current: boolean
}

async function visibleTargets({ env, cwd }: CommandContext): Promise<readonly VisibleTarget[]> {
  const current = await inUse(env, cwd)
  const seen = new Map<string, VisibleTarget>()
  for (const { path, targets } of await configFiles(env, cwd)) {
    for (const [name, { endpoint, auth, token }] of Object.entries(targets)) {
      const how = auth ?? (token === undefined ? 'none' : 'token')
      if (!seen.has(name)) seen.set(name, { name, endpoint, auth: how, file: path, current: name === current?.name })
    }
  }
  return [...seen.values()]
}

/** Undefined where no endpoint is known at all. */
async function inUse(env: CommandContext['env'], cwd: string) {
  try {
    return await resolveTarget({}, env, cwd)
  } catch (error) {
    if (error instanceof KobeError) return undefined
    throw error
  }
}

export const currentCommand = defineCommand({
  offline: true,
  details:
    'Where no target is in use but an endpoint is known, as in the folder of a `kobe up`, the endpoint is printed.',
  examples: [['kobe config current -o json', 'with the endpoint and where it comes from']],
  async run({ env, cwd, output, format }) {
    const { name, endpoint, source } = await resolveTarget({}, env, cwd)
    if (format === 'json' || format === 'yaml') {
      await output.data({ ...(name === undefined ? {} : { target: name }), endpoint, source }, format)
    } else output.line(name ?? endpoint)
    return EXIT.ok
  },
})

export const useCommand = defineCommand({
  offline: true,
  details: 'Kept in your file, or with --project in .kobe.toml of this folder.',
  examples: [
    ['kobe config use ci', 'from now on'],
    ['kobe config use ci --project', 'in this folder and those below it'],
  ],
  args: [{ name: 'target', description: 'name of a target', required: true, complete: 'target' }],
  options: [{ flags: '--project', description: 'for this folder, in .kobe.toml' }],
  async run(context, input) {
    const name = input.args[0] ?? ''
    await mustExist(context, name)
    const path =
      input.options['project'] === true
        ? await writeProjectConfig(context, { ...(await readProjectConfig(context)), currentTarget: name })
        : writeUserConfig(context, { ...readUserConfig(context), currentTarget: name })
    context.output.line(`${name} is in use (${path})`)
    const used = await resolveTarget({}, context.env, context.cwd)
    if (used.name !== name)
      context.output.note(`but here something nearer comes first: ${used.endpoint} from ${used.source}`)
    return EXIT.ok
  },
})

async function mustExist({ env, cwd }: CommandContext, name: string): Promise<void> {
  const files = await configFiles(env, cwd)
  const known = [...new Set(files.flatMap(({ targets }) => Object.keys(targets)))]
  if (known.includes(name)) return
  throw new UserError(`there is no target ${name}`, {
    why: `known: ${known.length === 0 ? 'none' : known.join(', ')}`,
    fix: `\`kobe config set ${name} --endpoint <url>\` makes it`,
    exitCode: EXIT.usage,
  })
}

export const viewCommand = defineCommand({
  offline: true,
  details: 'Every file as it is; tokens are replaced by `***`.',
  examples: [['kobe config view', 'both files']],
  async run({ env, cwd, output, format }) {
    const files = (await configFiles(env, cwd)).map(({ path, currentTarget, targets }) => ({
      path,
      ...(currentTarget === undefined ? {} : { current_target: currentTarget }),
      targets: Object.fromEntries(
        Object.entries(targets).map(([name, target]) => [
          name,
          'token' in target ? { ...target, token: '***' } : target,
        ]),
      ),
    }))
    await output.data(files, format === 'json' ? 'json' : 'yaml')
    return EXIT.ok
  },
})
