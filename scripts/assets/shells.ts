/**
 * zsh and fish for the tests of completion: those on the PATH, else Debian packages, fetched by apt-get and unpacked into the cache
 * that all checkouts share. Nothing is installed and no privileges are needed; where there is no apt-get the tests are skipped.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { sharedCache } from './cache.ts'

export interface Shells {
  readonly zsh: string
  /** What a zsh has to be told first, so that it finds its modules and functions where they were unpacked. */
  readonly zshSetup: string
  readonly fish: string
  /** Variables that both need. */
  readonly env: Readonly<Record<string, string>>
}

/** `libpcre2-32-0` is the one library of fish that systems do not have anyway. */
const PACKAGES = ['zsh', 'zsh-common', 'fish', 'fish-common', 'libpcre2-32-0']

/** Where they are, without fetching anything; undefined: not on this machine. */
export function findShells(): Shells | undefined {
  const [zsh, fish] = [onPath('zsh'), onPath('fish')]
  if (zsh !== undefined && fish !== undefined) return { zsh, zshSetup: '', fish, env: {} }
  const root = join(sharedCache('shells'), 'root')
  return existsSync(root) ? unpackedIn(root) : undefined
}

/** The same after fetching what is missing; or why they cannot be had on this machine. */
export function ensureShells(): Shells | { readonly skipped: string } {
  const found = findShells()
  if (found !== undefined) return found
  if (onPath('apt-get') === undefined || onPath('dpkg-deb') === undefined) {
    return {
      skipped: 'zsh and fish are not on the PATH, and this is no Debian or Ubuntu to fetch them from: install them',
    }
  }
  try {
    fetch(sharedCache('shells'))
  } catch (error) {
    const why = error instanceof Error ? error.message.split('\n')[0] : String(error)
    return { skipped: `zsh and fish could not be fetched (${why}): run \`apt-get update\`, or install them` }
  }
  return findShells() ?? { skipped: 'the packages of zsh and fish do not hold what is needed' }
}

function fetch(dir: string): void {
  mkdirSync(dir, { recursive: true })
  const work = mkdtempSync(join(dir, 'fetch-'))
  try {
    const quiet = { cwd: work, stdio: ['ignore', 'ignore', 'pipe'] as ['ignore', 'ignore', 'pipe'] }
    execFileSync('apt-get', ['download', '-q', ...PACKAGES], quiet)
    for (const file of readdirSync(work).filter((name) => name.endsWith('.deb'))) {
      execFileSync('dpkg-deb', ['-x', file, 'root'], quiet)
    }
    // Beside its share/ fish expects etc/, and then takes both from there.
    if (!existsSync(join(work, 'root', 'usr', 'etc'))) symlinkSync('../etc', join(work, 'root', 'usr', 'etc'))
    renameSync(join(work, 'root'), join(dir, 'root'))
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

function unpackedIn(root: string): Shells | undefined {
  const zsh = [join(root, 'bin', 'zsh'), join(root, 'usr', 'bin', 'zsh')].find(existsSync)
  const fish = join(root, 'usr', 'bin', 'fish')
  const [libraries, modules] = [join(root, 'usr', 'lib', triplet(root)), modulesIn(root)]
  if (zsh === undefined || !existsSync(fish) || modules === undefined) return undefined
  const functions = join(root, 'usr', 'share', 'zsh', 'functions')
  return {
    zsh,
    zshSetup: `module_path=('${modules}'); fpath=('${functions}' '${functions}'/**/*(/N))`,
    fish,
    env: { LD_LIBRARY_PATH: libraries },
  }
}

/** Such as `x86_64-linux-gnu`. */
const triplet = (root: string): string =>
  readdirSync(join(root, 'usr', 'lib')).find((name) => name.includes('-linux-gnu')) ?? ''

function modulesIn(root: string): string | undefined {
  const dir = join(root, 'usr', 'lib', triplet(root), 'zsh')
  const version = existsSync(dir) ? readdirSync(dir)[0] : undefined
  return version === undefined ? undefined : join(dir, version)
}

function onPath(program: string): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter)
  return folders.map((folder) => join(folder, program)).find(existsSync)
}
