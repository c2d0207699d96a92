/** Kubeconfig files that the CLI wrote: 0600, one per lease, remembered so that `release` and `purge` can remove them. */
import { closeSync, existsSync, openSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { writePrivate } from '../client/kubeconfig-file.ts'
import { makeFolder } from '../client/make-folder.ts'
import type { Environment } from '../config.ts'
import { UserError } from './user-error.ts'

interface StateFile {
  lease_artifacts?: Record<string, { kubeconfig_path?: string }>
}

export interface LeaseFile {
  readonly leaseId: string
  readonly path: string
}

export interface LeaseFiles {
  /** Writes the kubeconfig, renames its context to `kobe-<pool>-<short id>`, answers the path. */
  write(lease: { id: string; pool: string; kubeconfig: string }, path?: string): Promise<string>
  /** Removes the file written for a lease, if there is one; answers its path. */
  remove(leaseId: string): Promise<string | undefined>
  /** What was written for this endpoint and not removed again. */
  tracked(): readonly LeaseFile[]
  /** Files of our making in `~/.kube` that nothing remembers: a lost state file, another client. */
  untracked(): readonly LeaseFile[]
}

export function createLeaseFiles(env: Environment, endpoint: string): LeaseFiles {
  const statePath = join(env.configHome, 'kobe', 'state.json')
  const folder = join(env.home, '.kube')
  const keyOf = (id: string) => `${endpoint}::${id}`
  const tracked = () => filesIn(readState(statePath), `${endpoint}::`)
  return {
    async write({ id, pool, kubeconfig }, path) {
      const stem = `kobe-${pool}-${shortId(id)}`
      const target = resolve(path === undefined ? join(folder, `${stem}.yaml`) : expandHome(path, env.home))
      const content = await renameContext(kubeconfig, stem)
      // Remembered first: a file that nobody knows of would never be removed.
      await change(statePath, (artifacts) => {
        artifacts[keyOf(id)] = { kubeconfig_path: target }
      })
      writePrivate(target, content)
      return target
    },
    async remove(leaseId) {
      const path = tracked().find((file) => file.leaseId === leaseId)?.path
      if (path === undefined) return undefined
      rmSync(path, { force: true })
      await change(statePath, (artifacts) => {
        delete artifacts[keyOf(leaseId)]
      })
      return path
    },
    tracked,
    untracked() {
      const known = new Set(filesIn(readState(statePath), '').map(({ path }) => path))
      return kubeconfigsIn(folder).filter(({ path }) => !known.has(path))
    },
  }
}

function shortId(id: string): string {
  return id.replace(/^lease-/, '').slice(0, 8)
}

function filesIn(state: StateFile, prefix: string): LeaseFile[] {
  return Object.entries(state.lease_artifacts ?? {})
    .filter(([key]) => key.startsWith(prefix))
    .flatMap(([key, { kubeconfig_path: path }]) =>
      path === undefined ? [] : [{ leaseId: key.slice(key.lastIndexOf('::') + 2), path }],
    )
}

/** By name and by content: a file that only looks like ours is left alone. */
function kubeconfigsIn(folder: string): LeaseFile[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .filter((name) => /^kobe-.+-[0-9a-f]{8}\.yaml$/.test(name))
    .flatMap((name) => {
      const path = join(folder, name)
      const leaseId = /\/connect\/(lease-[0-9a-z-]+)/.exec(readFileSync(path, 'utf8'))?.[1]
      return leaseId === undefined ? [] : [{ leaseId, path }]
    })
}

function readState(path: string): StateFile {
  if (!existsSync(path)) return {}
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch (cause) {
    throw new UserError(`${path} is not readable JSON`, {
      fix: 'repair or remove that file; it only lists kubeconfig files',
      cause,
    })
  }
}

/** Several commands may run at once: each reads, changes and writes while it holds the lock. */
async function change(
  path: string,
  apply: (artifacts: Record<string, { kubeconfig_path?: string }>) => void,
): Promise<void> {
  const release = await lock(`${path}.lock`)
  try {
    const state = readState(path)
    const artifacts = { ...state.lease_artifacts }
    apply(artifacts)
    writePrivate(path, `${JSON.stringify({ ...state, lease_artifacts: artifacts }, null, 2)}\n`)
  } finally {
    release()
  }
}

/** A holder needs milliseconds: a lock this old is that of a process that died. */
const STALE_LOCK_MS = 5_000
const LOCK_RETRY_MS = 10

async function lock(path: string): Promise<() => void> {
  while (!tryLock(path)) {
    if (isStale(path)) rmSync(path, { force: true })
    else await pause(LOCK_RETRY_MS)
  }
  return () => rmSync(path, { force: true })
}

function tryLock(path: string): boolean {
  try {
    makeFolder(dirname(path))
    closeSync(openSync(path, 'wx', 0o600))
    return true
  } catch (cause) {
    if (isTaken(cause)) return false
    const why = cause instanceof Error ? cause.message : String(cause)
    const fix = 'make it writable, or set XDG_CONFIG_HOME or HOME to a folder that is'
    throw new UserError(`cannot write to ${dirname(path)}`, { why, fix, cause })
  }
}

function isTaken(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EEXIST'
}

function isStale(path: string): boolean {
  const stats = statSync(path, { throwIfNoEntry: false })
  return stats !== undefined && Date.now() - stats.mtimeMs > STALE_LOCK_MS
}

function expandHome(path: string, home: string): string {
  return path === '~' || path.startsWith('~/') ? join(home, path.slice(1)) : path
}

interface Kubeconfig {
  clusters?: { name: string }[]
  users?: { name: string }[]
  contexts?: { name: string; context: { cluster: string; user: string } }[]
  'current-context'?: string
}

/** Several leases can live in one merged kubeconfig only when their names differ. */
async function renameContext(text: string, name: string): Promise<string> {
  const { parse, stringify } = await import('yaml')
  const config: Kubeconfig = parse(text)
  const [cluster] = config.clusters ?? []
  const [user] = config.users ?? []
  const [context] = config.contexts ?? []
  if (cluster) cluster.name = name
  if (user) user.name = name
  if (context) {
    context.name = name
    context.context = { ...context.context, cluster: name, user: name }
  }
  return stringify({ ...config, 'current-context': name }, { lineWidth: 0 })
}
