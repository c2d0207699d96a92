/**
 * `npm run e2e [-- [--host real] [name ...]]`: the end-to-end tests, telling what they do.
 * Names pick test files (`first-lease`, `upgrade`, `restart`, ...). `--host real`: a real kube-apiserver and etcd are the host.
 */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { ensureKubectl } from './assets/kubectl.ts'
import { assetsDir } from './assets/real-pair.ts'
import { ensureShells } from './assets/shells.ts'

const ROOT = join(import.meta.dirname, '..')
const { values, positionals } = parseArgs({
  options: { host: { type: 'string', default: 'embedded' } },
  allowPositionals: true,
})

process.exitCode = main(values.host, positionals)

function main(host: string, names: readonly string[]): number {
  if (host !== 'embedded' && host !== 'real') {
    console.error(`--host ${host}: use embedded or real`)
    return 2
  }
  if (host === 'real' && assetsDir(ROOT) === undefined) {
    console.error(
      'There is no real kube-apiserver and etcd here: run `npm run assets` first, or set KUBEBUILDER_ASSETS.',
    )
    return 2
  }
  const tools = ensureKubectl(ROOT)
  if ('skipped' in tools) console.log(`Tests that need the real kubectl are skipped: ${tools.skipped}`)
  const shells = ensureShells()
  if ('skipped' in shells) console.log(`Tests of completion in zsh and fish are skipped: ${shells.skipped}`)
  const files = names.map((name) => `test/e2e/${name}`)
  const result = spawnSync('vitest', ['run', '--project', 'e2e', '--reporter=verbose', ...files], {
    cwd: ROOT,
    stdio: 'inherit',
    // A file that is named is run in full.
    env: { ...process.env, KOBE_TEST_HOST: host, ...(names.length === 0 ? {} : { KOBE_E2E_LONG: '1' }) },
  })
  return result.status ?? 1
}
