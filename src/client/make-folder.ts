/** Folders that a user names, by an option, by HOME or by XDG_CONFIG_HOME. */
import { mkdirSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

/**
 * Makes a folder and those above it that are missing, mode 0700; one that is there stays as it is. One level at a time: where a
 * filesystem lets nobody make anything, such as `/proc`, the first level fails, while `mkdir` with `recursive` goes on trying
 * without an end. Throws the system's error.
 */
export function makeFolder(path: string): void {
  const missing: string[] = []
  for (let at = resolve(path); !isFolder(at); at = dirname(at)) missing.unshift(at)
  for (const folder of missing) makeOne(folder)
}

/** A parent that is a file, or that nobody may look into, is left for `mkdir` to tell. */
const isFolder = (path: string): boolean => path === dirname(path) || statOf(path)?.isDirectory() === true

const NOT_TO_BE_SEEN = new Set(['EACCES', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG'])

function statOf(path: string) {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch (error) {
    if (NOT_TO_BE_SEEN.has(codeOf(error))) return undefined
    throw error
  }
}

function makeOne(folder: string): void {
  try {
    mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    // Somebody else made it meanwhile.
    if (codeOf(error) !== 'EEXIST' || statOf(folder)?.isDirectory() !== true) throw error
  }
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
