/** Kubeconfig files that the CLI wrote: 0600, one per lease, remembered so that `release` can remove them. */
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { parse, stringify } from 'yaml'
import type { Environment } from '../config.ts'
import { UserError } from './user-error.ts'

interface StateFile {
  lease_artifacts?: Record<string, { kubeconfig_path?: string }>
}

export interface LeaseFiles {
  /** Writes the kubeconfig, renames its context to `kobe-<pool>-<short id>`, answers the path. */
  write(lease: { id: string; pool: string; kubeconfig: string }, path?: string): string
  /** Removes the file written for a lease, if there is one; answers its path. */
  remove(leaseId: string): string | undefined
}

export function createLeaseFiles(env: Environment, endpoint: string): LeaseFiles {
  const statePath = join(env.configHome, 'kobe', 'state.json')
  const keyOf = (id: string) => `${endpoint}::${id}`
  return {
    write({ id, pool, kubeconfig }, path) {
      const stem = `kobe-${pool}-${id.replace(/^lease-/, '').slice(0, 8)}`
      const target = resolve(expandHome(path ?? `~/.kube/${stem}.yaml`, env.home))
      writePrivate(target, renameContext(kubeconfig, stem))
      const state = readState(statePath)
      state.lease_artifacts = { ...state.lease_artifacts, [keyOf(id)]: { kubeconfig_path: target } }
      writePrivate(statePath, `${JSON.stringify(state, null, 2)}\n`)
      return target
    },
    remove(leaseId) {
      const state = readState(statePath)
      const path = state.lease_artifacts?.[keyOf(leaseId)]?.kubeconfig_path
      if (state.lease_artifacts === undefined || path === undefined) return undefined
      rmSync(path, { force: true })
      delete state.lease_artifacts[keyOf(leaseId)]
      writePrivate(statePath, `${JSON.stringify(state, null, 2)}\n`)
      return path
    },
  }
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

/** Written under another name first: a reader never sees half a file, and the mode is right from the first byte. */
export function writePrivate(path: string, content: string): void {
  const temporary = `${path}.${process.pid}.tmp`
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    writeFileSync(temporary, content, { mode: 0o600 })
    chmodSync(temporary, 0o600)
    renameSync(temporary, path)
  } catch (cause) {
    rmSync(temporary, { force: true })
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new UserError(`cannot write ${path}`, { why, fix: 'choose a writable place with --kubeconfig', cause })
  }
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
export function renameContext(text: string, name: string): string {
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
  return stringify({ ...config, 'current-context': name })
}
