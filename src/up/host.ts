/** The host control plane of `kobe up`. */
import { readFileSync } from 'node:fs'
import { type HostHandle, HostStartError, startHost } from '../backends/embedded/host-process.ts'
import { EXIT, UserError } from '../cli/user-error.ts'
import { createKubeClient } from '../kube/kube-client.ts'
import { compileCacheDir } from './compile-cache.ts'
import type { UpSettings } from './settings.ts'
import type { StateDir } from './state-dir.ts'
import { EMBEDDED_VERSION, type Up, type UpOptions } from './up-options.ts'

export type Storage = 'sqlite' | 'memory'

/** A state folder keeps its kind: turning a kept one into a forgetful one would lose clusters without a word. */
export function storageOf(options: UpOptions, settings: UpSettings, dir: StateDir): Storage {
  const wanted = options.memory ? 'memory' : 'sqlite'
  if (settings.storage === undefined || settings.storage === wanted) return wanted
  throw new UserError(
    `${dir.path} holds a state that is kept ${settings.storage === 'memory' ? 'in memory' : 'on disk'}`,
    {
      fix: options.memory
        ? 'start without --memory, or use --state-dir for another folder'
        : 'stop the other one with `kobe down --purge`, or start with --memory',
      exitCode: EXIT.usage,
    },
  )
}

/** Another API server as host: a real cluster's, or one of a test. It is used and never stopped. */
function givenHost(path: string): HostHandle {
  try {
    const kubeconfig = readFileSync(path, 'utf8')
    const client = createKubeClient({ kubeconfigPath: path })
    const { server: url } = client
    client.close()
    const leaveIt = () => Promise.resolve()
    return { kubeconfig, url, caCert: '', pid: 0, adopted: true, stop: leaveIt, destroy: leaveIt, close: leaveIt }
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new UserError(`--host-kubeconfig ${path} cannot be used`, { why, exitCode: EXIT.usage, cause })
  }
}

export async function startHostFor(
  { options, dir }: Pick<Up, 'options' | 'dir'>,
  settings: UpSettings,
  storage: Storage,
): Promise<HostHandle> {
  if (options.hostKubeconfig !== undefined) return givenHost(options.hostKubeconfig)
  const port = options.hostPort ?? settings.hostPort
  try {
    return await startHost({
      stateDir: dir.host,
      storage,
      version: EMBEDDED_VERSION,
      compileCacheDir: compileCacheDir(dir.path),
      ...(port === undefined ? {} : { port }),
    })
  } catch (error) {
    if (!(error instanceof HostStartError)) throw error
    const fix =
      error.code === 'StorageCorrupt'
        ? `put a copy of the file back, or give up what is in it with \`kobe down --purge --state-dir ${dir.path}\``
        : undefined
    throw new UserError(error.message, {
      exitCode: EXIT.unavailable,
      cause: error,
      ...(fix === undefined ? {} : { fix }),
    })
  }
}
