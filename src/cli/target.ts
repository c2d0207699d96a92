/** Which endpoint the CLI talks to, and with which token: flags, then environment, then `./.kobe/client.json` of `kobe up`. */
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { Environment } from '../config.ts'
import type { ApiTarget } from './api-client.ts'
import { EXIT, UserError } from './user-error.ts'

export interface TargetFlags {
  readonly endpoint?: string
  readonly tokenFile?: string
  readonly ca?: string
}

/** What `kobe up` leaves for the CLI, mode 0600. */
export interface ClientFile {
  readonly endpoint: string
  readonly token: string
  /** PEM of the CA behind an https endpoint. */
  readonly ca?: string
}

export const CLIENT_FILE = 'client.json'

export function resolveTarget(flags: TargetFlags, env: Environment, cwd: string): ApiTarget {
  const file = readClientFile(env, cwd)
  const endpoint = flags.endpoint ?? env.endpoint ?? file?.content.endpoint
  if (endpoint === undefined) {
    throw new UserError('no endpoint is known', {
      why: `neither --endpoint nor KOBE_ENDPOINT is set, and there is no ${join(env.stateDir, CLIENT_FILE)} here or in a parent folder`,
      fix: 'start Kobe here with `npm start` (or `kobe up`), or name an endpoint',
      exitCode: EXIT.usage,
    })
  }
  // A token of the local file belongs to the local endpoint: it is never sent elsewhere.
  const local = file !== undefined && endpoint === file.content.endpoint
  const token = readToken(flags) ?? env.token ?? (local ? file.content.token : undefined)
  const ca = flags.ca ? readText(flags.ca, '--ca') : local ? file.content.ca : undefined
  return {
    endpoint: checkedUrl(endpoint),
    source: flags.endpoint ? '--endpoint' : env.endpoint ? 'KOBE_ENDPOINT' : (file?.path ?? ''),
    ...(token === undefined ? {} : { token }),
    ...(ca === undefined ? {} : { ca }),
  }
}

function readToken(flags: TargetFlags): string | undefined {
  return flags.tokenFile === undefined ? undefined : readText(flags.tokenFile, '--token-file').trim()
}

function readText(path: string, flag: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    throw new UserError(`${flag} ${path} cannot be read`, { exitCode: EXIT.usage, cause })
  }
}

function checkedUrl(text: string): string {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text
  throw new UserError(`${text} is not an http or https URL`, { exitCode: EXIT.usage })
}

/** Looks in the working folder and upwards, as git does for its folder. */
function readClientFile(env: Environment, cwd: string): { path: string; content: ClientFile } | undefined {
  const path = findUpwards(cwd, join(env.stateDir, CLIENT_FILE))
  if (path === undefined) return undefined
  try {
    return { path, content: JSON.parse(readFileSync(path, 'utf8')) }
  } catch (cause) {
    throw new UserError(`${path} cannot be read`, { fix: 'restart `kobe up`: it writes the file anew', cause })
  }
}

function findUpwards(start: string, relative: string): string | undefined {
  for (let folder = resolve(start); ; folder = dirname(folder)) {
    const candidate = resolve(folder, relative)
    if (existsSync(candidate)) return candidate
    if (folder === dirname(folder)) return undefined
  }
}
