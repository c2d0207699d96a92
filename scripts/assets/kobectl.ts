/**
 * Builds the published command line client of the public API, of a pinned version, from its crate with cargo, into the cache
 * that all checkouts share; for tests only. `npm run assets -- kobectl`; needs cargo, takes about a quarter of an hour on two
 * cores once, no time afterwards. It is never part of a release.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { sharedCache } from './cache.ts'

export const KOBECTL_VERSION = '0.62.0'
const CRATE = 'kobectl'
/** The crate calls its program as we call ours. */
const PROGRAM = 'kobe'

const dir = (): string => sharedCache(`${CRATE}-${KOBECTL_VERSION}`)

/** Where the client is, or undefined when it was not built on this machine. */
export function kobectlPath(): string | undefined {
  const file = join(dir(), CRATE)
  return existsSync(file) ? file : undefined
}

/** Answers the exit code: 0 when it is there and of the right version, 1 when it cannot be had. */
export function buildKobectl(): number {
  const ready = kobectlPath()
  if (ready !== undefined) {
    verify(ready)
    console.log(`The published client is ${ready}`)
    return 0
  }
  if (spawnSync('cargo', ['--version']).status !== 0) {
    console.error(
      'The published client is built with cargo, which is not on the PATH: its tests are skipped. Install Rust 1.95 or newer.',
    )
    return 1
  }
  const built = build()
  if (built === undefined) {
    console.error(`cargo could not build ${CRATE} ${KOBECTL_VERSION} (see above): the tests with it are skipped.`)
    return 1
  }
  console.log(`\nThe published client is ${built}`)
  return 0
}

/** One job: it shares the machine with tests. What was compiled stays until it is done, so an interrupted build goes on. */
function build(): string | undefined {
  const work = join(dir(), '.build')
  const target = join(dir(), CRATE)
  mkdirSync(work, { recursive: true })
  const args = ['install', CRATE, '--version', KOBECTL_VERSION, '--locked', '--jobs', '1']
  const folders = ['--root', join(work, 'out'), '--target-dir', join(work, 'target')]
  const { status } = spawnSync('cargo', [...args, ...folders], { stdio: ['ignore', 'inherit', 'inherit'] })
  if (status !== 0) return undefined
  // Under another name until it is whole and proven.
  copyFileSync(join(work, 'out', 'bin', PROGRAM), `${target}.new`)
  verify(`${target}.new`)
  renameSync(`${target}.new`, target)
  rmSync(work, { recursive: true, force: true })
  return target
}

function verify(file: string): void {
  const printed = execFileSync(file, ['--version'], { encoding: 'utf8' }).trim()
  if (!printed.endsWith(` ${KOBECTL_VERSION}`))
    throw new Error(`${file} --version printed ${printed}, not ${KOBECTL_VERSION}`)
  console.log(printed)
}
