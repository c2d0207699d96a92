/** The completion scripts in real shells: what is in the line after the TAB key, or what the shell would offer. */
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findShells } from '../../scripts/assets/shells.ts'
import { NODE, ok, ROOT } from '../support/run.ts'
import { say } from '../support/say.ts'
import { type ScriptedServer, sendJson, startScriptedServer } from '../support/scripted-server.ts'

const SHELLS = findShells()
if (SHELLS === undefined) say('skipped: zsh and fish are not here; `npm run assets -- shells` fetches them')

const COUNTS = { ready: 2, leased: 0, creating: 0, recycling: 0, unhealthy: 0, quarantined: 0, queueDepth: 0 }
const pool = (name: string) => ({
  name,
  phase: 'Healthy',
  ...COUNTS,
  policy: { mode: 'fixed', ttl: '2h', warmTarget: 2 },
})

/** What is typed before TAB, and what the line is after it. */
const LINES: readonly (readonly [typed: string, line: string])[] = [
  ['kobe leas', 'kobe lease '],
  ['kobe lease ci-s', 'kobe lease ci-small '],
  ['kobe lease ci-small --tt', 'kobe lease ci-small --ttl '],
  ['kobe explain lease my', 'kobe explain lease my:lease '],
]

let dir: string
let server: ScriptedServer
let env: Record<string, string>

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'kobe-completion-'))
  server = await startScriptedServer(({ path }, response) => {
    if (path === '/v1/pools') return sendJson(response, 200, [pool('ci-small'), pool('ci-large')])
    return sendJson(response, 200, [{ id: 'lease-1', alias: 'my:lease', phase: 'Bound', profile: 'ci-small' }])
  })
  const bin = join(dir, 'bin')
  mkdirSync(bin)
  writeFileSync(join(bin, 'kobe'), `#!/bin/sh\nexec ${NODE} ${join(ROOT, 'bin', 'kobe.js')} "$@"\n`)
  chmodSync(join(bin, 'kobe'), 0o755)
  const PATH = `${bin}:${process.env['PATH']}`
  env = { HOME: dir, XDG_CONFIG_HOME: dir, PATH, TERM: 'xterm', KOBE_ENDPOINT: server.url, KOBE_TOKEN: 'token' }
})
afterAll(async () => {
  await server.close()
  rmSync(dir, { recursive: true, force: true })
})

/** Types each line and TAB into an interactive shell on a terminal of its own; the lines as they are afterwards. */
async function typed(shell: string, setup: readonly string[]): Promise<string[]> {
  const { zsh, zshSetup } = SHELLS!
  const [script, report] = [join(dir, `${shell}.rc`), join(dir, `${shell}.report`)]
  writeFileSync(script, `${setup.join('\n')}\n`)
  writeFileSync(report, '')
  const driver = [
    zshSetup,
    'zmodload zsh/zpty',
    `zpty shell ${shell === 'bash' ? 'bash --norc --noprofile -i' : `'${zsh}' -f -i`}`,
    `zpty -w shell '. ${script}'`,
    "zpty -r shell out '*SET*UP*'",
    // Shown by the widget on the key after TAB: the shell has completed by then. Ctrl-U clears the line.
    ...LINES.map(
      ([line]) => `zpty -w -n shell '${line}'$'\\t\\x18'; zpty -r shell out '*LINE*ENDS*'; zpty -w -n shell $'\\x15'`,
    ),
    'zpty -d shell',
  ]
  await ok(zsh, ['-f', '-c', driver.join('\n')], { env: { ...env, ...SHELLS!.env, REPORT: report } })
  return readFileSync(report, 'utf8').split('\n').slice(0, -1)
}

const EXPECTED = LINES.map(([, line]) => line)

describe.skipIf(SHELLS === undefined)('the TAB key', () => {
  test('completes commands, pools, flags and leases in zsh', { timeout: 120_000 }, async () => {
    const setup = [
      SHELLS!.zshSetup,
      'PS1="> "; autoload -Uz compinit; compinit -u -D',
      'source <(kobe completion zsh)',
      'show() { print -r -- "$BUFFER" >> $REPORT; zle -M "LINE"" ENDS" }',
      "zle -N show; bindkey '^X' show; bindkey '^U' kill-whole-line",
      'print SET"" UP',
    ]
    expect(await typed('zsh', setup)).toEqual(EXPECTED)
  })

  test('completes them in bash', { timeout: 120_000 }, async () => {
    const setup = [
      'PS1="> "; source <(kobe completion bash)',
      'show() { printf "%s\\n" "$READLINE_LINE" >> $REPORT; echo "LINE"" ENDS"; }',
      `bind -x '"\\C-x":show'`,
      'echo SET"" UP',
    ]
    // A colon begins a word of its own in bash.
    const lines = await typed('bash', setup)
    expect(lines.slice(0, 3)).toEqual(EXPECTED.slice(0, 3))
  })

  test('offers them with their meaning in fish', { timeout: 120_000 }, async () => {
    const offers = LINES.map(([line]) => `complete -C "${line}"; echo ---`)
    const script = ['kobe completion fish | source', ...offers].join('\n')
    const out = await ok(SHELLS!.fish, ['--no-config', '-c', script], { env: { ...env, ...SHELLS!.env } })
    const [lease, ciSmall, ttl, mine] = out.split('---\n')
    expect(lease).toMatch(/^lease\tLease a cluster/)
    expect(ciSmall).toBe('ci-small\tHealthy, 2 ready\n')
    expect(ttl).toMatch(/^--ttl\thow long/)
    expect(mine).toMatch(/^my:lease\t/)
  })
})
