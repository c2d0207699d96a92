/** What `kobe up` is told, and what its parts share. */
import type { CommandContext } from '../cli/define-command.ts'
import type { LogLevel } from '../config.ts'
import type { StateDir } from './state-dir.ts'

export interface UpOptions {
  readonly stateDir: string
  readonly memory: boolean
  readonly listen: string
  readonly httpsPort?: number
  readonly httpPort?: number
  readonly hostPort?: number
  /** Kubeconfig of an API server that is the host instead of an embedded one. */
  readonly hostKubeconfig?: string
  readonly publicUrl?: string
  readonly firstPool: boolean
  /** Nodes of a simulated world on the host API; absent: there is no such world. */
  readonly simulateNodes?: number
  /** `nodes`: a standing cluster of simulated nodes to play with. */
  readonly demo?: Demo
  readonly namespace: string
  readonly logLevel: LogLevel
  readonly syncImage?: string
}

export const DEMOS = ['nodes'] as const
export type Demo = (typeof DEMOS)[number]

export const DEFAULT_HTTPS_PORT = 7443
export const DEFAULT_HTTP_PORT = 7080
/** Kubernetes version of the first pool's members and of the host. */
export const EMBEDDED_VERSION = 'v1.36.3'

export interface Up {
  readonly options: UpOptions
  readonly context: CommandContext
  readonly dir: StateDir
  readonly startedAt: number
}
