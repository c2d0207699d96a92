/**
 * The programs of members, each as one file made of its sources at set-up (`scripts/bundle/`): it starts in half the time,
 * and has in memory all it will ever load, so that a member that runs is not touched by what becomes of the sources.
 *
 * A bundle is used only while all of its sources are as they were when it was made; otherwise the sources are run.
 */
import { createHash } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

export const PROGRAMS = ['member-process', 'shared-process'] as const
/** Name of the entry of a program beside this file, without ending. */
export type Program = (typeof PROGRAMS)[number]

/** Size and time of the last change of a file, milliseconds. */
export interface FileState {
  readonly size: number
  readonly mtimeMs: number
}

export interface BundleManifest {
  /** Names of the files, beside the manifest. */
  readonly files: Readonly<Record<Program, string>>
  /** By absolute path. */
  readonly sources: Readonly<Record<string, FileState>>
}

export const manifestFile = 'bundle.json'

/** Where the bundles of the checkout at `root` are. Checkouts that share their packages do not share them. */
export function bundleFolder(root: string): string {
  const checkout = createHash('sha256').update(root).digest('hex').slice(0, 16)
  return join(root, 'node_modules', '.cache', `kobe-bundle-${checkout}`)
}

/** Path of the bundle of `program`; undefined when there is none, or when a source was changed, moved or removed since. */
export function currentBundle(folder: string, program: Program): string | undefined {
  const manifest = readManifest(join(folder, manifestFile))
  const name = manifest?.files[program]
  if (manifest === undefined || name === undefined) return undefined
  const path = join(folder, name)
  return fileState(path) !== undefined && sourcesAreUnchanged(manifest) ? path : undefined
}

export function fileState(path: string): FileState | undefined {
  const stats = statSync(path, { throwIfNoEntry: false })
  return stats === undefined ? undefined : { size: stats.size, mtimeMs: stats.mtimeMs }
}

function sourcesAreUnchanged({ sources }: BundleManifest): boolean {
  return Object.entries(sources).every(([path, { size, mtimeMs }]) => {
    const state = fileState(path)
    return state?.size === size && state.mtimeMs === mtimeMs
  })
}

/** What is no manifest counts as none: there are always the sources. */
function readManifest(path: string): BundleManifest | undefined {
  try {
    const value: Partial<BundleManifest> | null = JSON.parse(readFileSync(path, 'utf8'))
    const { files, sources } = value ?? {}
    return files === undefined || sources === undefined ? undefined : { files, sources }
  } catch (error) {
    if (error instanceof SyntaxError || isMissing(error)) return undefined
    throw error
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')
}
