/**
 * A bundle of diagnostics as files. What is in it comes from a cluster that somebody else had in hand: names of pods and
 * containers become plain file names, and nothing is ever written outside the folder, through a link, or over another file.
 */
import { closeSync, lstatSync, openSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { writePrivate } from '../client/kubeconfig-file.ts'
import { makeFolder } from '../client/make-folder.ts'
import { EXIT, UserError } from './user-error.ts'

export interface BundleFile {
  /** Relative, with `/`. */
  readonly path: string
  readonly content: string
}

interface Log {
  readonly namespace?: unknown
  readonly pod?: unknown
  readonly container?: unknown
  readonly text?: unknown
}

/** The bundle as it came, each kind of resource, each log. What has another shape stays in the bundle alone. */
export function bundleFiles(bundle: Readonly<Record<string, unknown>>): readonly BundleFile[] {
  const { resources, logs } = bundle
  const files = [
    { path: 'bundle.json', content: jsonText(bundle) },
    ...Object.entries(isObject(resources) ? resources : {}).map(([name, items]) => ({
      path: `resources/${plainName(name)}.json`,
      content: jsonText(items),
    })),
    ...(Array.isArray(logs) ? logs : []).flatMap(logFile),
  ]
  return withoutClashes(files)
}

function logFile(log: unknown): BundleFile[] {
  const { namespace, pod, container, text } = (isObject(log) ? log : {}) as Log
  if (typeof text !== 'string') return []
  return [{ path: `logs/${[namespace, pod, container].map(plainName).join('_')}.log`, content: text }]
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const jsonText = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`

const LONGEST_PART = 80

/** Letters, digits, dashes, and dots one at a time that do not lead: `..` and `a/b` name no folder. */
export function plainName(name: unknown): string {
  const plain = String(name ?? '').replaceAll(/[^A-Za-z0-9.-]|\.{2,}/g, '_')
  return plain.replace(/^[.-]+/, '_').slice(0, LONGEST_PART) || '_'
}

/** Names that were different before may be equal now, also to a filesystem that ignores case. */
function withoutClashes(files: readonly BundleFile[]): readonly BundleFile[] {
  const taken = new Set<string>()
  return files.map(({ path, content }) => {
    let free = path
    for (let n = 2; taken.has(free.toLowerCase()); n += 1) free = path.replace(/(\.\w+)$/, `-${n}$1`)
    taken.add(free.toLowerCase())
    return { path: free, content }
  })
}

/** Mode 0600, in folders of mode 0700. Without `force` nothing is written when one of the files is there. Answers their paths. */
export function writeBundle(folder: string, files: readonly BundleFile[], force: boolean): readonly string[] {
  const targets = files.map(({ path, content }) => ({ path: join(folder, path), content }))
  const standing = force ? undefined : targets.find(({ path }) => lstatOf(path) !== undefined)
  if (standing !== undefined) throw alreadyThere(standing.path)
  for (const inside of new Set(targets.map(({ path }) => dirname(path)))) makeOwnFolder(inside)
  for (const { path, content } of targets) force ? writePrivate(path, content) : writeNew(path, content)
  return targets.map(({ path }) => path)
}

/** Folders of ours are no links, wherever they would lead. */
function makeOwnFolder(folder: string): void {
  if (lstatOf(folder)?.isSymbolicLink() === true) {
    throw new UserError(`${folder} is a link`, { fix: 'remove it, or name another --output-dir' })
  }
  try {
    makeFolder(folder)
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new UserError(`cannot make ${folder}`, { why, fix: 'name another --output-dir', cause })
  }
}

function writeNew(path: string, content: string): void {
  let handle: number
  try {
    // Fails where anything is, a link included.
    handle = openSync(path, 'wx', 0o600)
  } catch (cause) {
    if (lstatOf(path) !== undefined) throw alreadyThere(path)
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new UserError(`cannot write ${path}`, { why, fix: 'name another --output-dir', cause })
  }
  try {
    writeFileSync(handle, content)
  } finally {
    closeSync(handle)
  }
}

const lstatOf = (path: string) => lstatSync(path, { throwIfNoEntry: false })

const alreadyThere = (path: string): UserError =>
  new UserError(`${path} exists already`, {
    fix: 'name another --output-dir, or write over it with --force',
    exitCode: EXIT.failure,
  })
