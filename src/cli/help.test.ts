import { describe, expect, test } from 'vitest'
import { COMMANDS } from './command-table.ts'
import type { CommandDefinition, CommandEntry } from './define-command.ts'
import { OUTPUT_OPTION, TARGET_OPTIONS } from './global-options.ts'
import { runCli } from './program.ts'

interface Listed {
  readonly path: readonly string[]
  readonly entry: CommandEntry
  readonly definition: CommandDefinition
}

async function allOf(entries: readonly CommandEntry[], parent: readonly string[] = []): Promise<Listed[]> {
  const lists = await Promise.all(
    entries.map(async (entry) => {
      const definition = await entry.load()
      const path = [...parent, entry.name]
      return [{ path, entry, definition }, ...(await allOf(definition.subcommands ?? [], path))]
    }),
  )
  return lists.flat()
}

const listed = await allOf(COMMANDS)

async function helpOf(...argv: string[]) {
  let stdout = ''
  let stderr = ''
  const code = await runCli({
    argv,
    program: 'kobe',
    env: { HOME: '/nowhere' },
    cwd: '/',
    stdout: { write: (text) => (stdout += text) },
    stderr: { write: (text) => (stderr += text) },
    signal: new AbortController().signal,
  })
  return { code, stdout, stderr }
}

/** Help wraps lines; what it says does not depend on where. */
const unwrapped = (text: string) => text.replaceAll(/\s+/g, ' ')

describe.each(listed.map((one) => [one.path.join(' '), one] as const))(
  'kobe %s',
  (_name, { path, entry, definition }) => {
    const options = [...(definition.options ?? []), ...(definition.offline ? [] : TARGET_OPTIONS), OUTPUT_OPTION]

    test('its help is complete: arguments, options, details, examples', async () => {
      const { code, stdout } = await helpOf(...path, '--help')
      const help = unwrapped(stdout)
      expect(code).toBe(0)
      expect(help).toContain(unwrapped(entry.summary))
      if (definition.details !== undefined) expect(stdout).toContain(definition.details)
      for (const { name, description } of definition.args ?? []) {
        expect(help).toContain(name)
        expect(help).toContain(unwrapped(description))
      }
      for (const { flags, description } of options) {
        expect(help).toContain(flags)
        expect(help).toContain(unwrapped(description))
      }
      for (const [line, does] of definition.examples ?? []) expect(stdout).toContain(`  # ${does}\n  ${line}`)
    })

    test('its summary is one line without a full stop, and it has an example', () => {
      expect(entry.summary).toMatch(/^[A-Z].*[^.]$/)
      expect(definition.examples?.length ?? 0).toBeGreaterThan(0)
    })

    test('its examples use options that exist', () => {
      const known = options.flatMap(({ flags }) => flags.split(/[ ,]+/).filter((word) => word.startsWith('-')))
      for (const [line] of definition.examples ?? []) {
        expect(line.startsWith('kobe ')).toBe(true)
        const [own = ''] = line.split(' -- ')
        if (own.startsWith(`kobe ${path.join(' ')}`) && definition.subcommands === undefined) {
          for (const flag of own.split(' ').filter((word) => word.startsWith('-'))) expect(known).toContain(flag)
        }
      }
    })

    test('details fit a terminal of 130 columns', () => {
      for (const line of definition.details?.split('\n') ?? []) expect(line.length).toBeLessThanOrEqual(130)
    })
  },
)

test('`kobe help lease` is `kobe lease --help`, and bare `kobe` is `kobe --help`', async () => {
  expect(await helpOf('help', 'lease')).toEqual(await helpOf('lease', '--help'))
  expect(await helpOf()).toEqual(await helpOf('--help'))
  expect((await helpOf('config')).stdout).toContain('Usage: kobe config')
})

test.each([
  [['lese'], 'Did you mean lease?'],
  [['lease', '--tt', '1'], 'Did you mean --ttl?'],
  [['lease', 'a', 'b'], 'too many arguments'],
  [['pools', '-o', 'xml'], 'Allowed choices are text, wide, json, yaml'],
  [['with-lease', 'ci'], "missing required argument 'command'"],
  [['lease', 'ci', '--ttl', '5 bananas'], 'not a duration'],
  [['lease', 'ci', '--ensure'], '--ensure needs --name'],
  [['lease', 'ci', '--no-wait', '--keepalive'], 'cannot go with'],
  [['lease', 'ci', '--no-wait', '--print'], 'without waiting there is no kubeconfig'],
  [['lease', 'ci', '--metadata', 'x'], 'not a name and a value'],
  [['wait', 'pool', 'ci', '--for', 'blue'], 'a pool is never blue'],
  [['config', 'use', 'x'], 'there is no target x'],
  [['config', 'set', 'x'], 'a new target needs --endpoint'],
])('`kobe %j` is refused with a way out and code 2', async (argv, text) => {
  const { code, stdout, stderr } = await helpOf(...argv)
  expect(code).toBe(2)
  expect(stdout).toBe('')
  expect(stderr).toContain(text)
  expect(stderr).toMatch(/\n {2}fix: /)
})
