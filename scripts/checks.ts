/**
 * The project's checks in order. `node scripts/checks.ts check` runs the fast ones, `node scripts/checks.ts test` all of
 * them; both end with a line `N passed, N failed` and exit 1 when anything failed.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ensureKubectl } from './assets/kubectl.ts'

interface Step {
  readonly name: string
  readonly command: readonly string[]
  /** A vitest project: its own counts are taken instead of one for the step. */
  readonly vitest?: boolean
}

interface Counts {
  passed: number
  failed: number
  skipped: number
}

const root = join(import.meta.dirname, '..')
const cache = join(root, '.cache')

const CHECKS: readonly Step[] = [
  { name: 'generated files are current', command: ['node', 'scripts/generate/index.ts', '--check'] },
  { name: 'format and lint', command: ['biome', 'ci', '--colors=off', '--error-on-warnings', '.'] },
  { name: 'layers', command: ['depcruise', '--no-progress', 'src'] },
  { name: 'types', command: ['tsc', '-p', '.'] },
  { name: 'unit', command: ['vitest', 'run', '--project', 'unit'], vitest: true },
]

const TESTS: readonly Step[] = [
  { name: 'integration', command: ['vitest', 'run', '--project', 'integration'], vitest: true },
  { name: 'e2e', command: ['vitest', 'run', '--project', 'e2e'], vitest: true },
]

function main(mode: string | undefined): number {
  mkdirSync(cache, { recursive: true })
  if (mode === 'test') prepareTools()
  const total: Counts = { passed: 0, failed: 0, skipped: 0 }
  for (const step of mode === 'test' ? [...CHECKS, ...TESTS] : CHECKS) {
    const counts = run(step)
    total.passed += counts.passed
    total.failed += counts.failed
    total.skipped += counts.skipped
  }
  const skipped = total.skipped > 0 ? `, ${total.skipped} skipped` : ''
  const line = `${total.passed} passed, ${total.failed} failed${skipped}`
  writeFileSync(join(cache, 'test-summary.txt'), `${line}\n`)
  console.log(`\n${line}`)
  return total.failed === 0 ? 0 : 1
}

function prepareTools(): void {
  const tools = ensureKubectl(root)
  if ('skipped' in tools) console.log(`Tests that need the real kubectl are skipped: ${tools.skipped}`)
}

function run(step: Step): Counts {
  console.log(`\n== ${step.name}`)
  const report = join(cache, `vitest-${step.name}.json`)
  rmSync(report, { force: true })
  const [program = '', ...args] = step.command
  const extra = step.vitest ? ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`] : []
  const result = spawnSync(program, [...args, ...extra], { cwd: root, stdio: 'inherit' })
  const ok = result.status === 0
  if (result.error) console.error(`${step.name}: ${result.error.message}`)
  if (!step.vitest) return { passed: ok ? 1 : 0, failed: ok ? 0 : 1, skipped: 0 }
  return countsOf(report, ok)
}

function countsOf(report: string, ok: boolean): Counts {
  if (!existsSync(report)) return { passed: 0, failed: 1, skipped: 0 }
  const { numPassedTests, numFailedTests, numPendingTests } = JSON.parse(readFileSync(report, 'utf8'))
  // A run that failed without a failed test (a broken import, an unhandled rejection) is a failure all the same.
  const failed = ok ? numFailedTests : Math.max(1, numFailedTests)
  return { passed: numPassedTests, failed, skipped: numPendingTests }
}

process.exitCode = main(process.argv[2])
