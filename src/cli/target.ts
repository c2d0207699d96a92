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
  const { endpoint, source } = endpointOf(flags, env, file)
  // A token of the local file belongs to the local endpoint: it is never sent elsewhere.
  const local = file?.content.endpoint === endpoint ? file?.content : undefined
  const token = readToken(flags) ?? env.token ?? local?.token
  const ca = flags.ca === undefined ? local?.ca : readText(flags.ca, '--ca')
  return {
    endpoint: checkedUrl(endpoint),
    source,
    ...(token === undefined ? {} : { token }),
    ...(ca === undefined ? {} : { ca }),
  }
}

function endpointOf(
  flags: TargetFlags,
  env: Environment,
  file: FoundFile | undefined,
): { endpoint: string; source: string } {
  if (flags.endpoint !== undefined) return { endpoint: flags.endpoint, source: '--endpoint' }
  if (env.endpoint !== undefined) return { endpoint: env.endpoint, source: 'KOBE_ENDPOINT' }
  if (file !== undefined) return { endpoint: file.content.endpoint, source: file.path }
  throw new UserError('no endpoint is known', {
    why: `neither --endpoint nor KOBE_ENDPOINT is set, and there is no ${join(env.stateDir, CLIENT_FILE)} here or in a parent folder`,
    fix: 'start Kobe here with `npm start` (or `kobe up`), or name an endpoint',
    exitCode: EXIT.usage,
  })
}

interface FoundFile {
  readonly path: string
  readonly content: ClientFile
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
function readClientFile(env: Environment, cwd: string): FoundFile | undefined {
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
