/**
 * Which endpoint to talk to, and with which token. The first of these that is there:
 * 1. `--endpoint`, `--target`
 * 2. `KOBE_ENDPOINT`, `KOBE_TARGET`
 * 3. the nearest of this folder and those above it: `current_target` of a `.kobe.toml`, `.kobe/client.json` of a `kobe up`
 * 4. `current_target` of the user's `config.json`
 */
import { readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { Environment } from '../config.ts'
import { type ConfigFile, findUpwards, readGlobalConfig, readLocalConfig, type TargetConfig } from './config-files.ts'
import { KobeError } from './errors.ts'
import type { ApiTarget } from './transport.ts'

export interface TargetFlags {
  readonly endpoint?: string
  /** Name of a configured target. */
  readonly target?: string
  readonly tokenFile?: string
  /** Path of a PEM file. */
  readonly ca?: string
}

/** What `kobe up` leaves for clients, mode 0600. */
export interface ClientFile {
  readonly endpoint: string
  readonly token: string
  /** PEM of the CA behind an https endpoint. */
  readonly ca?: string
}

export const CLIENT_FILE = 'client.json'

interface Found {
  readonly endpoint: string
  readonly source: string
  readonly name?: string
  /** Belongs to this endpoint and is sent nowhere else. */
  readonly token?: string
  readonly ca?: string
  /** Chosen by a flag: its own token goes before that of the environment. */
  readonly explicit?: boolean
}

/** Throws `KobeError` `config`. */
export async function resolveTarget(flags: TargetFlags, env: Environment, cwd: string): Promise<ApiTarget> {
  const found = await find(flags, env, cwd)
  const given = flags.tokenFile === undefined ? undefined : readText(flags.tokenFile, '--token-file').trim()
  const token = given ?? (found.explicit ? (found.token ?? env.token) : (env.token ?? found.token))
  const ca = flags.ca === undefined ? found.ca : readText(flags.ca, '--ca')
  return {
    endpoint: checkedUrl(found.endpoint, found.source),
    source: found.source,
    ...(found.name === undefined ? {} : { name: found.name }),
    ...(token === undefined ? {} : { token: checkedToken(token) }),
    ...(ca === undefined ? {} : { ca }),
  }
}

async function find(flags: TargetFlags, env: Environment, cwd: string): Promise<Found> {
  if (flags.endpoint !== undefined) return ofUrl(flags.endpoint, '--endpoint', clientFile(env, cwd))
  if (flags.target !== undefined) return { ...(await named(flags.target, env, cwd, '--target')), explicit: true }
  if (env.endpoint !== undefined) return ofUrl(env.endpoint, 'KOBE_ENDPOINT', clientFile(env, cwd))
  if (env.target !== undefined) return await named(env.target, env, cwd, 'KOBE_TARGET')
  const near = await nearby(env, cwd)
  if (near !== undefined) return near
  const current = readGlobalConfig(env.configHome)
  if (current?.currentTarget !== undefined) return await named(current.currentTarget, env, cwd, current.path)
  throw new KobeError('config', 'no endpoint is known', {
    why: `neither --endpoint, --target, KOBE_ENDPOINT nor KOBE_TARGET is set, no target is in use, and there is no ${join(env.stateDir, CLIENT_FILE)} here or in a parent folder`,
    fix: 'start Kobe here with `npm start` (or `kobe up`), or name an endpoint: `kobe config set <name> --endpoint <url>`, then `kobe config use <name>`',
  })
}

/** The token of a local file belongs to the local endpoint: it is never sent elsewhere. */
function ofUrl(endpoint: string, source: string, local: Found | undefined): Found {
  return local?.endpoint === endpoint ? { ...local, source } : { endpoint, source }
}

async function nearby(env: Environment, cwd: string): Promise<Found | undefined> {
  const project = await readLocalConfig(cwd)
  const running = clientFile(env, cwd)
  if (project?.currentTarget === undefined) return running
  const nearer = running === undefined || depth(project.path) >= depth(dirname(running.source))
  return nearer ? await named(project.currentTarget, env, cwd, project.path) : running
}

const depth = (path: string): number => dirname(resolve(path)).length

async function named(name: string, env: Environment, cwd: string, chosenBy: string): Promise<Found> {
  const files = await configFiles(env, cwd)
  const file = files.find(({ targets }) => Object.hasOwn(targets, name))
  const target = file?.targets[name]
  if (file !== undefined && target !== undefined) return ofTarget(name, target, file.path)
  const known = [...new Set(files.flatMap(({ targets }) => Object.keys(targets)))]
  throw new KobeError('config', `there is no target ${name}`, {
    why: `${chosenBy} names it; known: ${known.length === 0 ? 'none' : known.join(', ')}`,
    fix: `\`kobe config set ${name} --endpoint <url>\` makes it`,
  })
}

/** The project's file first: it hides the user's. */
export async function configFiles(env: Environment, cwd: string): Promise<readonly ConfigFile[]> {
  const files = [await readLocalConfig(cwd), readGlobalConfig(env.configHome)]
  return files.filter((file) => file !== undefined)
}

function ofTarget(name: string, target: TargetConfig, path: string): Found {
  const { auth, token, ca } = target
  if (auth !== undefined && auth !== 'none' && auth !== 'token') {
    throw new KobeError('config', `target ${name} signs in with ${auth}`, {
      why: `this client knows tokens only (${path})`,
      fix: `\`kobe config set ${name} --endpoint ${target.endpoint} --token-file <path>\`, or another target`,
    })
  }
  const pem = ca === undefined ? undefined : readText(resolve(dirname(path), ca), `ca of target ${name}:`)
  return {
    endpoint: target.endpoint,
    source: `target ${name} in ${path}`,
    name,
    ...(token === undefined || auth === 'none' ? {} : { token }),
    ...(pem === undefined ? {} : { ca: pem }),
  }
}

function clientFile(env: Environment, cwd: string): Found | undefined {
  const path = findUpwards(cwd, join(env.stateDir, CLIENT_FILE))
  if (path === undefined) return undefined
  try {
    const content: ClientFile = JSON.parse(readFileSync(path, 'utf8'))
    return { ...content, source: path }
  } catch (cause) {
    throw new KobeError('config', `${path} cannot be read`, {
      fix: 'restart `kobe up`: it writes the file anew',
      cause,
    })
  }
}

function readText(path: string, flag: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : undefined
    throw new KobeError('config', `${flag} ${path} cannot be read`, {
      why,
      fix: 'name a file that you can read',
      cause,
    })
  }
}

function checkedUrl(text: string, source: string): string {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text
  throw new KobeError('config', `${text} is not an http or https URL`, {
    why: `it comes from ${source}`,
    fix: 'write it like http://127.0.0.1:7080',
  })
}

/** What a header cannot carry would fail deep inside, with the token in the message. */
function checkedToken(text: string): string {
  const token = text.trim()
  if (/^[\x21-\x7e]+$/.test(token)) return token
  throw new KobeError(
    'config',
    'the token cannot be sent: it is empty, or has blanks or other characters no token has',
    {
      fix: 'look at KOBE_TOKEN, --token-file, or the token of the target',
    },
  )
}
