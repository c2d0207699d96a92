/** The sources of a commit, beside this checkout and with its packages. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '..', '..')

export interface Baseline {
  readonly root: string
  /** The whole name of the commit. */
  readonly commit: string
  remove(): void
}

/** Throws when there is no such commit, or no git. Nothing is left in the repository, not even when this is killed. */
export function openBaseline(name: string): Baseline {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'inherit'] })
  const commit = git('rev-parse', '--verify', `${name}^{commit}`).toString().trim()
  const folder = mkdtempSync(join(tmpdir(), 'kobe-baseline-'))
  const root = join(folder, 'tree')
  const archive = join(folder, 'tree.tar')
  mkdirSync(root)
  git('archive', '--format=tar', '-o', archive, commit)
  execFileSync('tar', ['-xf', archive, '-C', root], { stdio: ['ignore', 'ignore', 'inherit'] })
  symlinkSync(join(ROOT, 'node_modules'), join(root, 'node_modules'))
  return { root, commit, remove: () => rmSync(folder, { recursive: true, force: true }) }
}
