/**
 * Reads a kubeconfig. The plain cases (certificate, token, token file, user and password, impersonation) are read
 * here; plugins, cloud providers and proxies go through client-node (plugin-credentials.ts), whose import takes most of a second.
 */
import { readFileSync } from 'node:fs'
import { dirname, isAbsolute, join } from 'node:path'
import { parse } from 'yaml'
import type { Clock } from './clock.ts'
import { type Connection, type Credentials, createTokenFile, KubeconfigError } from './connection.ts'
import { pluginCredentials } from './plugin-credentials.ts'

type Fields = Record<string, unknown>

export interface KubeconfigSource {
  /** The YAML or JSON text. */
  readonly text: string
  /** Folder that relative file names start from. Default: the working directory. */
  readonly directory?: string
}

/** @throws KubeconfigError when the file cannot be read or used. */
export function readKubeconfigFile(path: string): KubeconfigSource {
  try {
    return { text: readFileSync(path, 'utf8'), directory: dirname(path) }
  } catch (cause) {
    throw new KubeconfigError(`cannot read the kubeconfig ${path}: check that the file exists and may be read`, {
      cause,
    })
  }
}

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}
}

function text(fields: Fields, name: string): string | undefined {
  const value = fields[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}

function named(config: Fields, list: string, name: string | undefined, part: string): Fields {
  const entries = config[list]
  const entry = Array.isArray(entries) ? entries.map(fieldsOf).find((item) => item['name'] === name) : undefined
  if (name === undefined || entry === undefined) {
    throw new KubeconfigError(`kubeconfig: ${list} has no entry named ${JSON.stringify(name ?? '')}`)
  }
  return fieldsOf(entry[part])
}

function parseText(source: KubeconfigSource): Fields {
  try {
    return fieldsOf(parse(source.text))
  } catch (cause) {
    // The parser's message quotes the line it stumbled over, which may hold a key: it stays out of ours.
    throw new KubeconfigError('kubeconfig: neither YAML nor JSON', { cause: new Error((cause as Error).name) })
  }
}

interface Reader {
  path(file: string): string
  /** The PEM text of `<name>-data` (base64) or of the file `<name>`; absent when neither is set. */
  pem(fields: Fields, name: string): string | undefined
}

function readerOf(directory: string | undefined): Reader {
  const path = (file: string): string => (isAbsolute(file) || directory === undefined ? file : join(directory, file))
  return {
    path,
    pem(fields, name) {
      const data = text(fields, `${name}-data`)
      if (data !== undefined) return Buffer.from(data, 'base64').toString('utf8')
      const file = text(fields, name)
      if (file === undefined) return undefined
      try {
        return readFileSync(path(file), 'utf8')
      } catch (cause) {
        throw new KubeconfigError(`kubeconfig: ${name}: cannot read ${path(file)}`, { cause })
      }
    },
  }
}

function trustOf(cluster: Fields, reader: Reader): Connection['trust'] {
  const ca = reader.pem(cluster, 'certificate-authority')
  const servername = text(cluster, 'tls-server-name')
  return {
    ...(ca === undefined ? {} : { ca }),
    ...(servername === undefined ? {} : { servername }),
    ...(cluster['insecure-skip-tls-verify'] === true ? { rejectUnauthorized: false } : {}),
  }
}

function impersonationHeaders(user: Fields): Record<string, string | string[]> {
  const as = text(user, 'as')
  if (as === undefined) return {}
  const groups = Array.isArray(user['as-groups']) ? user['as-groups'].map(String) : []
  return { 'impersonate-user': as, ...(groups.length === 0 ? {} : { 'impersonate-group': groups }) }
}

function plainCredentials(user: Fields, reader: Reader, clock: Clock): () => Promise<Credentials> {
  const cert = reader.pem(user, 'client-certificate')
  const key = reader.pem(user, 'client-key')
  const token = text(user, 'token')
  const tokenFile = text(user, 'tokenFile')
  const fromFile = tokenFile === undefined ? undefined : createTokenFile(reader.path(tokenFile), clock)
  const username = text(user, 'username')
  const basic = `${username}:${text(user, 'password') ?? ''}`
  const authorization = async (): Promise<string | undefined> => {
    if (fromFile !== undefined) return `Bearer ${await fromFile()}`
    if (token !== undefined) return `Bearer ${token}`
    return username === undefined ? undefined : `Basic ${Buffer.from(basic).toString('base64')}`
  }
  return async () => {
    const value = await authorization()
    return {
      headers: { ...impersonationHeaders(user), ...(value === undefined ? {} : { authorization: value }) },
      ...(cert === undefined ? {} : { cert }),
      ...(key === undefined ? {} : { key }),
    }
  }
}

/** Exec plugins, `auth-provider` (OIDC, clouds) and proxies are not the plain cases. */
function needsPlugin(user: Fields, cluster: Fields): boolean {
  return user['exec'] !== undefined || user['auth-provider'] !== undefined || cluster['proxy-url'] !== undefined
}

/** @throws KubeconfigError naming the field that is missing or wrong. */
export function kubeconfigConnection(source: KubeconfigSource, clock: Clock): Connection {
  const config = parseText(source)
  const context = named(config, 'contexts', text(config, 'current-context'), 'context')
  const cluster = named(config, 'clusters', text(context, 'cluster'), 'cluster')
  const user = text(context, 'user') === undefined ? {} : named(config, 'users', text(context, 'user'), 'user')
  const server = text(cluster, 'server')
  if (server === undefined || !URL.canParse(server)) {
    throw new KubeconfigError(`kubeconfig: clusters[].cluster.server must be a URL such as https://127.0.0.1:6443`)
  }
  const namespace = text(context, 'namespace')
  const reader = readerOf(source.directory)
  return {
    server: server.replace(/\/+$/, ''),
    ...(namespace === undefined ? {} : { namespace }),
    trust: trustOf(cluster, reader),
    credentials: needsPlugin(user, cluster) ? pluginCredentials(source) : plainCredentials(user, reader, clock),
  }
}
