/** Choices that a restart keeps, so that kubeconfigs handed out before still point to the right place. */
import { existsSync, readFileSync } from 'node:fs'
import { writePrivate } from '../client/kubeconfig-file.ts'
import { ConfigError } from '../config.ts'

export interface UpSettings {
  hostPort?: number
  httpsPort?: number
  httpPort?: number
  storage?: 'sqlite' | 'memory'
  /** The first pool was made once; deleting it is the user's decision and stays. */
  seeded?: boolean
}

export function readSettings(path: string): UpSettings {
  if (!existsSync(path)) return {}
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    throw new ConfigError(`${path} is not readable JSON; repair it, or remove it to let Kobe choose its ports anew`)
  }
}

export function writeSettings(path: string, settings: UpSettings): void {
  writePrivate(path, `${JSON.stringify(settings, null, 2)}\n`)
}
