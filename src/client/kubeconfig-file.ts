/** Files with a credential in them: mode 0600 from the first byte, and never half a file. */
import { chmodSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { KobeError } from './errors.ts'
import { makeFolder } from './make-folder.ts'

/** What places come from: options first, then these. */
const PLACES =
  'choose a place that you can write to: kubeconfigs go below HOME unless --kubeconfig says where, settings below XDG_CONFIG_HOME or HOME'

/** Written under another name first, then put in place. Makes the folder, mode 0700. Throws `KobeError` `file`. */
export function writePrivate(path: string, content: string): void {
  const temporary = `${path}.${process.pid}.tmp`
  try {
    makeFolder(dirname(path))
    writeFileSync(temporary, content, { mode: 0o600 })
    chmodSync(temporary, 0o600)
    renameSync(temporary, path)
  } catch (cause) {
    rmSync(temporary, { force: true })
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new KobeError('file', `cannot write ${path}`, { why, fix: PLACES, cause })
  }
}

export interface TemporaryFile {
  readonly path: string
  remove(): void
}

/** In a folder of its own that nobody else can look into. */
export function writeTemporary(name: string, content: string): TemporaryFile {
  let folder: string
  try {
    folder = mkdtempSync(join(tmpdir(), 'kobe-'))
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new KobeError('file', `cannot write to ${tmpdir()}`, { why, fix: 'set TMPDIR to a writable folder', cause })
  }
  const path = join(folder, name)
  writePrivate(path, content)
  return { path, remove: () => rmSync(folder, { recursive: true, force: true }) }
}
