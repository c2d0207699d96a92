/**
 * Environment variables, read once and validated. No other file reads `process.env`.
 * Flags win over variables; variables win over files.
 */
import { homedir } from 'node:os'

/** What Kobe takes from the environment. Absent means: not set. */
export interface Environment {
  /** `KOBE_ENDPOINT`: base URL of the HTTP API. */
  readonly endpoint?: string
  /** `KOBE_TOKEN`: bearer token for the HTTP API. */
  readonly token?: string
  /** `KOBE_TARGET`: name of a configured target of the CLI. */
  readonly target?: string
  /** `HOME`, else `USERPROFILE`, else what the system knows of the user: where `.kube/` is. */
  readonly home: string
  /** `XDG_CONFIG_HOME`, default `<home>/.config`. */
  readonly configHome: string
  /** `VISUAL`, else `EDITOR`: what `kobe config edit` opens a file with. */
  readonly editor?: string
  /** `NO_COLOR` is set (to anything but the empty string). */
  readonly noColor: boolean
  /** `NO_COLOR` or `CI` is set, or `TERM` is `dumb`: nothing is drawn in place, what goes on is told line by line. */
  readonly plainTerminal: boolean
  /** `OPERATOR_NAMESPACE`, default `kobe-system`. */
  readonly namespace: string
  /** `KOBE_LOG_LEVEL`: debug, info, warn or error; default info. */
  readonly logLevel: LogLevel
  /** `KUBECONFIG`: default of `kobe operator --kubeconfig`. */
  readonly kubeconfig?: string
  /** `KOBE_SYNC_IMAGE`: shapes vkobe members, so it is part of their spec hash. */
  readonly syncImage?: string
  /** `KOBE_NODE_NAME`: Node that this process runs on (downward API, `spec.nodeName`); runs over nodes take it last. */
  readonly nodeName?: string
  /** `KOBE_STATE_DIR`, default `.kobe` in the working directory. */
  readonly stateDir: string
  /** `KUBERNETES_SERVICE_HOST` is set: the process runs in a pod. */
  readonly inCluster: boolean
}

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

/** A variable or flag that cannot be used; the message names it, its value and what is allowed. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

/** The variables of this process, for `readEnvironment`. */
export const processEnv = (): Variables => process.env

export type Variables = Readonly<Record<string, string | undefined>>

export function readEnvironment(env: Variables): Environment {
  const home = env['HOME'] || env['USERPROFILE'] || systemHome()
  return {
    ...optional('endpoint', env['KOBE_ENDPOINT']),
    ...optional('token', env['KOBE_TOKEN']),
    ...optional('target', env['KOBE_TARGET']),
    home,
    configHome: env['XDG_CONFIG_HOME'] || `${home}/.config`,
    ...optional('editor', env['VISUAL'] || env['EDITOR']),
    noColor: isSet(env['NO_COLOR']),
    plainTerminal: isSet(env['NO_COLOR']) || isSet(env['CI']) || env['TERM'] === 'dumb',
    namespace: env['OPERATOR_NAMESPACE'] || 'kobe-system',
    logLevel: parseLogLevel(env['KOBE_LOG_LEVEL'] || 'info', 'KOBE_LOG_LEVEL'),
    ...optional('kubeconfig', env['KUBECONFIG']),
    ...optional('syncImage', env['KOBE_SYNC_IMAGE']),
    ...optional('nodeName', env['KOBE_NODE_NAME']),
    stateDir: env['KOBE_STATE_DIR'] || '.kobe',
    inCluster: Boolean(env['KUBERNETES_SERVICE_HOST']),
  }
}

const isSet = (value: string | undefined): boolean => (value ?? '') !== ''

/** Fails where the user has no entry in the system's list, as in some containers: then nothing but this folder is known. */
function systemHome(): string {
  try {
    return homedir() || '.'
  } catch {
    return '.'
  }
}

export function parseLogLevel(text: string, source: string): LogLevel {
  const level = LOG_LEVELS.find((known) => known === text)
  if (level !== undefined) return level
  throw new ConfigError(`${source}=${text} is not a log level; use one of ${LOG_LEVELS.join(', ')}`)
}

/** A TCP port from a flag; 0 lets the system choose. */
export function parsePort(text: string, source: string): number {
  const port = Number(text)
  if (/^\d+$/.test(text) && port <= 65_535) return port
  throw new ConfigError(`${source} ${text} is not a port; use a whole number from 0 (any free port) to 65535`)
}

function optional<K extends string>(key: K, value: string | undefined): { [P in K]?: string } {
  return value === undefined || value === '' ? {} : ({ [key]: value } as { [P in K]?: string })
}
