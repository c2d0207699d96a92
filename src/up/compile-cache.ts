/** Where members keep compiled code: beside the installed packages, filled at set-up; else in the state folder. */
import { accessSync, constants, existsSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '..', '..')

export function compileCacheDir(stateDir: string): string {
  const modules = join(ROOT, 'node_modules')
  return existsSync(modules) && isWritable(modules)
    ? join(modules, '.cache', 'kobe-members')
    : join(stateDir, 'compile-cache')
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK)
    return true
  } catch {
    // Installed by somebody else, such as a package of the system: the state folder is ours in any case.
    return false
  }
}
