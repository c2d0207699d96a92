/** The folder that `kobe up` keeps its state in: one place that knows which file is where. */
import { join, resolve } from 'node:path'
import { makeFolder } from '../client/make-folder.ts'
import { CLIENT_FILE } from '../client/target.ts'
import { ConfigError } from '../config.ts'

export interface StateDir {
  readonly path: string
  /** Who runs here: PID and start time. */
  readonly lockFile: string
  /** The host control plane: keys, data, log. */
  readonly host: string
  /** One folder per member, and the process that hosts shared ones. */
  readonly members: string
  /** CA and serving certificate of the HTTPS listener. */
  readonly tls: string
  readonly hostKubeconfig: string
  /** Endpoint and token for the CLI. */
  readonly clientFile: string
  readonly operatorLog: string
  /** Ports and other choices that a restart keeps. */
  readonly settingsFile: string
}

export function openStateDir(path: string): StateDir {
  const root = resolve(path)
  try {
    makeFolder(root)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new ConfigError(`the state folder ${root} cannot be made (${why}); choose another one with --state-dir`)
  }
  return {
    path: root,
    lockFile: join(root, 'up.json'),
    host: join(root, 'host'),
    members: join(root, 'members'),
    tls: join(root, 'tls'),
    hostKubeconfig: join(root, 'host.kubeconfig'),
    clientFile: join(root, CLIENT_FILE),
    operatorLog: join(root, 'operator.log'),
    settingsFile: join(root, 'settings.json'),
  }
}
