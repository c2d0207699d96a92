/** A Kobe of its own for a test: `kobe up` in a temporary folder, on free ports, with its CLI. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type RealPair, startRealPair } from './real-pair.ts'
import { eventually, NODE, ok, type Result, ROOT, type Running, run, start } from './run.ts'

const BIN = join(ROOT, 'bin', 'kobe.js')

export interface TestKobe {
  readonly dir: string
  readonly stateDir: string
  readonly hostKubeconfig: string
  readonly env: Record<string, string>
  /** Starts `kobe up` and waits for its screen. */
  up(args?: readonly string[]): Promise<Running>
  /** Runs one CLI command to the end. */
  cli(...args: string[]): Promise<Result>
  /** Like `cli`, but another exit code than 0 fails the test. */
  cliOk(...args: string[]): Promise<string>
  json<T>(...args: string[]): Promise<T>
  log(): string
  /** Stops everything and removes the folder. */
  dispose(): Promise<void>
}

/** The host of the e2e tests: ours, or with `npm run e2e -- --host real` a real kube-apiserver and etcd for each Kobe. */
export const ON_REAL_HOST = process.env['KOBE_TEST_HOST'] === 'real'

export function createTestKobe(): TestKobe {
  let pair: RealPair | undefined
  const dir = mkdtempSync(join(tmpdir(), 'kobe-e2e-'))
  const stateDir = join(dir, '.kobe')
  const env = { HOME: dir, XDG_CONFIG_HOME: join(dir, '.config'), KOBE_ENDPOINT: '', KOBE_TOKEN: '', NO_COLOR: '1' }
  const cliOk = (...args: string[]) => ok(NODE, [BIN, ...args], { cwd: dir, env })
  return {
    dir,
    stateDir,
    env,
    hostKubeconfig: join(stateDir, 'host.kubeconfig'),
    async up(args = []) {
      if (ON_REAL_HOST) pair ??= await startRealPair()
      const host = pair === undefined ? [] : ['--host-kubeconfig', pair.kubeconfigPath]
      const running = start(NODE, [BIN, 'up', '--http-port', '0', '--https-port', '0', ...host, ...args], {
        cwd: dir,
        env,
      })
      try {
        await eventually('kobe up prints that it is ready', 60_000, async () => {
          if (running.child.exitCode !== null) return 'ended'
          return running.output().includes('Kobe is ready')
        })
      } catch (cause) {
        throw new Error(`kobe up did not get ready; it printed:\n${running.output()}`, { cause })
      }
      if (running.child.exitCode !== null) throw new Error(`kobe up ended:\n${running.output()}`)
      return running
    },
    cli: (...args) => run(NODE, [BIN, ...args], { cwd: dir, env }),
    cliOk,
    json: async (...args) => JSON.parse(await cliOk(...args, '-o', 'json')),
    log: () => readFileSync(join(stateDir, 'operator.log'), 'utf8'),
    async dispose() {
      await run(NODE, [BIN, 'down', '--purge'], { cwd: dir, env })
      await pair?.stop()
      rmSync(dir, { recursive: true, force: true })
    },
  }
}
