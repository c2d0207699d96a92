/**
 * Named targets. `<config>/kobe/config.json` holds those of the user, `.kobe.toml` in a folder those of a project; both have
 * the same shape. A target of the project hides the one of the user as a whole, never field by field: a checked-out file
 * must not redirect a token that the user keeps for another endpoint.
 */
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { KobeError } from './errors.ts'

export const LOCAL_CONFIG = '.kobe.toml'

export interface TargetConfig {
  readonly endpoint: string
  /** `none`, `token`, or a method of other clients (`oidc`, `ssh`) that this one cannot use. Default: as the fields say. */
  readonly auth?: string
  readonly token?: string
  /** File with the CA of an https endpoint, PEM. */
  readonly ca?: string
  readonly [other: string]: unknown
}

export interface ConfigFile {
  readonly path: string
  readonly currentTarget?: string
  readonly targets: Readonly<Record<string, TargetConfig>>
  /** The file as it is, for those who write it again. */
  readonly raw: Readonly<Record<string, unknown>>
}

export function globalConfigPath(configHome: string): string {
  return join(configHome, 'kobe', 'config.json')
}

/** Undefined when there is no such file. */
export function readGlobalConfig(configHome: string): ConfigFile | undefined {
  const path = globalConfigPath(configHome)
  return existsSync(path) ? parseConfig(path, readText(path), JSON.parse) : undefined
}

/** Looks in the folder and upwards, as git does for its own. */
export async function readLocalConfig(cwd: string): Promise<ConfigFile | undefined> {
  const path = findUpwards(cwd, LOCAL_CONFIG)
  if (path === undefined) return undefined
  const { parse } = await import('smol-toml')
  return parseConfig(path, readText(path), parse)
}

export function parseConfig(path: string, text: string, parse: (text: string) => unknown): ConfigFile {
  const raw = parsed(path, text, parse)
  const targets = isRecord(raw['targets']) ? raw['targets'] : isRecord(raw['contexts']) ? raw['contexts'] : {}
  // The oldest shape of the file: one endpoint without a name.
  const flat = typeof raw['endpoint'] === 'string' ? { default: raw } : {}
  const current = raw['current_target'] ?? raw['current_context'] ?? ('default' in flat ? 'default' : undefined)
  return {
    path,
    raw,
    targets: Object.fromEntries(
      Object.entries({ ...flat, ...targets }).map(([name, target]) => [name, checked(path, name, target)]),
    ),
    ...(typeof current === 'string' ? { currentTarget: current } : {}),
  }
}

function parsed(path: string, text: string, parse: (text: string) => unknown): Record<string, unknown> {
  try {
    const value = parse(text)
    if (isRecord(value)) return value
  } catch (cause) {
    const why = cause instanceof Error ? cause.message.split('\n')[0] : undefined
    throw new KobeError('config', `${path} cannot be parsed`, { why, fix: 'repair or remove that file', cause })
  }
  throw new KobeError('config', `${path} does not hold an object`, { fix: 'repair or remove that file' })
}

function checked(path: string, name: string, target: unknown): TargetConfig {
  if (isRecord(target) && typeof target['endpoint'] === 'string') return target as TargetConfig & typeof target
  throw new KobeError('config', `target ${name} in ${path} has no endpoint`, {
    fix: `\`kobe config set ${name} --endpoint <url>\` writes one`,
  })
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : undefined
    throw new KobeError('config', `${path} cannot be read`, { why, fix: 'make it readable, or remove it', cause })
  }
}

export function findUpwards(start: string, relative: string): string | undefined {
  for (let folder = resolve(start); ; folder = dirname(folder)) {
    const candidate = resolve(folder, relative)
    if (existsSync(candidate)) return candidate
    if (folder === dirname(folder)) return undefined
  }
}
