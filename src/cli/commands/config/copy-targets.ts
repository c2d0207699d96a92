/** `kobe config export | import`: the same shape as the user's own file. */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseConfig } from '../../../client/config-files.ts'
import { writePrivate } from '../../../client/kubeconfig-file.ts'
import { readUserConfig, writeUserConfig } from '../../config-store.ts'
import { type CommandContext, defineCommand } from '../../define-command.ts'
import { EXIT, UserError } from '../../user-error.ts'

const FILE = { name: 'path', description: 'a file, or `-`', required: false, complete: 'file' } as const

export const exportCommand = defineCommand({
  offline: true,
  details: 'Tokens are included, so a file gets mode 0600. Without a path, or with `-`, it goes to stdout.',
  examples: [['kobe config export ./kobe.json', 'to a file']],
  args: [FILE],
  async run(context, input) {
    const { currentTarget, targets } = readUserConfig(context)
    const shape = { ...(currentTarget === undefined ? {} : { current_target: currentTarget }), targets }
    const [path = '-'] = input.args
    if (path === '-') await context.output.data(shape, 'json')
    else {
      writePrivate(resolve(context.cwd, path), `${JSON.stringify(shape, null, 2)}\n`)
      context.output.note(`written to ${path}, tokens included`)
    }
    return EXIT.ok
  },
})

export const importCommand = defineCommand({
  offline: true,
  details:
    'Targets of the same name are replaced, others stay; which target is in use does not change. `-` reads stdin.',
  examples: [['kobe config import ./kobe.json', 'from a file']],
  args: [FILE],
  async run(context, input) {
    const [path = '-'] = input.args
    const { targets } = parseConfig(path, read(context, path), JSON.parse)
    const config = readUserConfig(context)
    const written = writeUserConfig(context, { ...config, targets: { ...config.targets, ...targets } })
    context.output.line(`${Object.keys(targets).length} target(s) taken into ${written}`)
    return EXIT.ok
  },
})

function read({ cwd }: CommandContext, path: string): string {
  try {
    return readFileSync(path === '-' ? 0 : resolve(cwd, path), 'utf8')
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : undefined
    throw new UserError(`${path} cannot be read`, { why, exitCode: EXIT.usage, cause })
  }
}
