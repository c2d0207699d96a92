/** Writes the files of named targets; reading them is the client's. Both may hold tokens: mode 0600. */
import { join } from 'node:path'
import {
  type ConfigFile,
  globalConfigPath,
  LOCAL_CONFIG,
  readGlobalConfig,
  readLocalConfig,
  type TargetConfig,
} from '../client/config-files.ts'
import { writePrivate } from '../client/kubeconfig-file.ts'
import type { CommandContext } from './define-command.ts'

export type Place = Pick<CommandContext, 'env' | 'cwd'>

export interface StoredConfig {
  readonly currentTarget?: string | undefined
  readonly targets: Readonly<Record<string, TargetConfig>>
}

/** The user's file as it is; empty when there is none. */
export function readUserConfig({ env }: Place): StoredConfig {
  return readGlobalConfig(env.configHome) ?? { targets: {} }
}

/** The file of this folder or one above it; empty when there is none. */
export async function readProjectConfig({ cwd }: Place): Promise<StoredConfig & { readonly path: string }> {
  return (await readLocalConfig(cwd)) ?? { path: join(cwd, LOCAL_CONFIG), targets: {} }
}

export function writeUserConfig({ env }: Place, config: StoredConfig): string {
  const path = globalConfigPath(env.configHome)
  const others = othersOf(readGlobalConfig(env.configHome))
  writePrivate(path, `${JSON.stringify({ ...others, ...shapeOf(config) }, null, 2)}\n`)
  return path
}

export async function writeProjectConfig(place: Place, config: StoredConfig): Promise<string> {
  const { stringify } = await import('smol-toml')
  const existing = await readLocalConfig(place.cwd)
  const path = existing?.path ?? join(place.cwd, LOCAL_CONFIG)
  writePrivate(path, stringify({ ...othersOf(existing), ...shapeOf(config) }))
  return path
}

/** The present names of the fields. */
function shapeOf({ currentTarget, targets }: StoredConfig) {
  return { ...(currentTarget === undefined ? {} : { current_target: currentTarget }), targets }
}

/** What other clients keep in the same file stays; the older names of our fields are replaced by the present ones. */
function othersOf(file: ConfigFile | undefined): Record<string, unknown> {
  const ours = new Set(['current_target', 'current_context', 'targets', 'contexts', 'endpoint', 'auth', 'token'])
  return Object.fromEntries(Object.entries(file?.raw ?? {}).filter(([name]) => !ours.has(name)))
}
