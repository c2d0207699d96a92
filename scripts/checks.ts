/**
 * The project's checks in order. `node scripts/checks.ts check` runs the fast ones, `node scripts/checks.ts test` all of
 * them; both end with a line `N passed, N failed` and exit 1 when anything failed. Further words choose test files by a part of
 * their path: `npm test -- rules` runs only those, and lists every test by name.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { ensureKubectl } from './assets/kubectl.ts'
import { ensureShells } from './assets/shells.ts'

interface Step {
  readonly name: string
  readonly command: readonly string[]
  /** A vitest project: its own counts are taken instead of one for the step. */
  readonly vitest?: boolean
  /** How vitest tells of it. Default: files, and the tests that fail. */
  readonly reporter?: 'verbose'
}

interface Counts {
  passed: number
  failed: number
  skipped: number
  /** What failed, a line or two each: repeated at the end, where a cut log still shows it. */
  failures: string[]
}

interface VitestReport {
  readonly numPassedTests: number
  readonly numFailedTests: number
  readonly numPendingTests: number
  readonly testResults: readonly {
    readonly name: string
    readonly status: string
    readonly message?: string
    readonly assertionResults: readonly { status: string; fullName: string; failureMessages?: readonly string[] }[]
  }[]
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

/** Only the test files that are asked for. */
const chosen = (filters: readonly string[]): Step[] => [
  {
    name: filters.join(' '),
    command: ['vitest', 'run', '--passWithNoTests', ...filters],
    vitest: true,
    reporter: 'verbose',
  },
]

function stepsOf(mode: string | undefined, filters: readonly string[]): readonly Step[] {
  if (filters.length > 0) return chosen(filters)
  return mode === 'test' ? [...CHECKS, ...TESTS] : CHECKS
}

function main(mode: string | undefined, filters: readonly string[]): number {
  mkdirSync(cache, { recursive: true })
  if (mode === 'test') prepareTools()
  const total: Counts = { passed: 0, failed: 0, skipped: 0, failures: [] }
  for (const step of stepsOf(mode, filters)) {
    const counts = run(step)
    total.passed += counts.passed
    total.failed += counts.failed
    total.skipped += counts.skipped
    total.failures.push(...counts.failures)
  }
  const skipped = total.skipped > 0 ? `, ${total.skipped} skipped` : ''
  const line = `${total.passed} passed, ${total.failed} failed${skipped}`
  writeFileSync(join(cache, 'test-summary.txt'), `${line}\n`)
  for (const failure of total.failures) console.log(`\nFAILED ${failure}`)
  console.log(`\n${line}`)
  return total.failed === 0 ? 0 : 1
}

function prepareTools(): void {
  const tools = ensureKubectl(root)
  if ('skipped' in tools) console.log(`Tests that need the real kubectl are skipped: ${tools.skipped}`)
  const shells = ensureShells()
  if ('skipped' in shells) console.log(`Tests of completion in zsh and fish are skipped: ${shells.skipped}`)
}

function run(step: Step): Counts {
  console.log(`\n== ${step.name}`)
  const report = join(cache, `vitest-${step.name.replace(/[^a-z0-9]+/gi, '-')}.json`)
  rmSync(report, { force: true })
  const [program = '', ...args] = step.command
  const extra = step.vitest
    ? [`--reporter=${step.reporter ?? 'default'}`, '--reporter=json', `--outputFile.json=${report}`]
    : []
  const result = spawnSync(program, [...args, ...extra], { cwd: root, stdio: 'inherit' })
  const ok = result.status === 0
  if (result.error) console.error(`${step.name}: ${result.error.message}`)
  if (step.vitest) return countsOf(step.name, report, ok)
  return { passed: ok ? 1 : 0, failed: ok ? 0 : 1, skipped: 0, failures: ok ? [] : [step.name] }
}

function countsOf(step: string, path: string, ok: boolean): Counts {
  if (!existsSync(path)) return { passed: 0, failed: 1, skipped: 0, failures: [`${step}: no report was written`] }
  const report: VitestReport = JSON.parse(readFileSync(path, 'utf8'))
  const failures = failuresOf(report)
  // A run that failed without a failed test (a broken import, an unhandled rejection) is a failure all the same.
  if (!ok && failures.length === 0)
    failures.push(`${step}: the run failed outside of a test; its output above says why`)
  const failed = ok ? report.numFailedTests : Math.max(1, report.numFailedTests)
  return { passed: report.numPassedTests, failed, skipped: report.numPendingTests, failures }
}

function failuresOf(report: VitestReport): string[] {
  return report.testResults.flatMap((file) => {
    const name = relative(root, file.name)
    const failed = file.assertionResults.filter((test) => test.status === 'failed')
    if (failed.length === 0 && file.status === 'failed') return [`${name}: ${firstLines(file.message)}`]
    return failed.map((test) => `${name} > ${test.fullName}\n${firstLines(test.failureMessages?.[0])}`)
  })
}

/** Enough of a failure to know what went wrong. */
function firstLines(message = ''): string {
  return message.split('\n').slice(0, 12).join('\n')
}

process.exitCode = main(process.argv[2], process.argv.slice(3))
