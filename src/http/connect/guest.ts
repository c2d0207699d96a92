/**
 * The way to a leased cluster: its address, its CA and our client credential, read from the admin kubeconfig of the instance.
 * The credential stays here; a caller only ever holds the token of its lease.
 */
import { Agent } from 'node:https'
import { parse } from 'yaml'
import { ConnectError, type ConnectErrorReason } from './status-body.ts'

export interface Guest {
  readonly hostname: string
  readonly port: number
  /** Path of the server URL without a trailing slash; put before every path. */
  readonly basePath: string
  readonly tls: GuestTls
  /** Bearer token of the credential, where it is not a client certificate. */
  readonly token?: string
  /** Kept-alive connections; destroyed when the lease ends. */
  readonly agent: Agent
}

export interface GuestTls {
  readonly ca: string
  readonly cert?: string
  readonly key?: string
  readonly servername?: string
}

export interface Guests {
  /** Throws `ConnectError` when the kubeconfig is missing or cannot be used. */
  get(instanceName: string): Promise<Guest>
  /** Closes the connections to an instance, those in use too. */
  drop(instanceName: string): void
  closeAll(): void
}

/** Answers the admin kubeconfig text of an instance, or `undefined` while there is none. */
export type GuestKubeconfig = (instanceName: string) => Promise<string | undefined>

export function createGuests(kubeconfigOf: GuestKubeconfig): Guests {
  const known = new Map<string, { text: string; guest: Guest }>()
  const drop = (instanceName: string): void => {
    known.get(instanceName)?.guest.agent.destroy()
    known.delete(instanceName)
  }
  return {
    async get(instanceName) {
      const text = await kubeconfigOf(instanceName)
      if (text === undefined) throw unusable('kubeconfig_unavailable', 'the credential of the cluster is not there')
      const cached = known.get(instanceName)
      if (cached?.text === text) return cached.guest
      drop(instanceName)
      const guest = parseGuest(text)
      known.set(instanceName, { text, guest })
      return guest
    },
    drop,
    closeAll() {
      for (const name of [...known.keys()]) drop(name)
    },
  }
}

interface Kubeconfig {
  readonly 'current-context'?: string
  readonly contexts?: readonly { name: string; context: { cluster: string; user: string } }[]
  readonly clusters?: readonly { name: string; cluster: Readonly<Record<string, unknown>> }[]
  readonly users?: readonly { name: string; user: Readonly<Record<string, unknown>> }[]
}

/** Reads the current context. Only inline data counts: a path in a Secret would point nowhere. */
export function parseGuest(text: string): Guest {
  const { cluster, user } = currentContext(text)
  const server = URL.parse(field(cluster, 'server') ?? '')
  const ca = base64(cluster, 'certificate-authority-data')
  if (server?.protocol !== 'https:' || ca === undefined) {
    throw unusable(
      'kubeconfig_parse',
      'the kubeconfig of the cluster lacks an https server or certificate-authority-data',
    )
  }
  const cert = base64(user, 'client-certificate-data')
  const key = base64(user, 'client-key-data')
  const servername = field(cluster, 'tls-server-name')
  const token = field(user, 'token')
  const tls: GuestTls = {
    ca,
    ...(cert === undefined || key === undefined ? {} : { cert, key }),
    ...(servername === undefined ? {} : { servername }),
  }
  return {
    hostname: server.hostname.replace(/^\[|\]$/g, ''),
    port: server.port === '' ? 443 : Number(server.port),
    basePath: server.pathname.replace(/\/+$/, ''),
    tls,
    ...(token === undefined ? {} : { token }),
    agent: new Agent({ ...tls, keepAlive: true, maxFreeSockets: 16 }),
  }
}

function currentContext(text: string): {
  cluster: Readonly<Record<string, unknown>>
  user: Readonly<Record<string, unknown>>
} {
  const config = parseYaml(text)
  const context =
    config.contexts?.find((one) => one.name === config['current-context'])?.context ?? config.contexts?.[0]?.context
  const cluster = config.clusters?.find((one) => one.name === context?.cluster)?.cluster
  const user = config.users?.find((one) => one.name === context?.user)?.user
  if (cluster === undefined || user === undefined) {
    throw unusable('kubeconfig_parse', 'the kubeconfig of the cluster has no usable context')
  }
  return { cluster, user }
}

function parseYaml(text: string): Kubeconfig {
  try {
    const parsed: unknown = parse(text)
    return typeof parsed === 'object' && parsed !== null ? parsed : {}
  } catch {
    // The parser quotes the text in its message, and the text holds a key: neither message nor cause is passed on.
    throw unusable('kubeconfig_parse', 'the kubeconfig of the cluster is not YAML')
  }
}

function field(from: Readonly<Record<string, unknown>>, key: string): string | undefined {
  const value = from[key]
  return typeof value === 'string' && value !== '' ? value : undefined
}

function base64(from: Readonly<Record<string, unknown>>, key: string): string | undefined {
  const value = field(from, key)
  return value === undefined ? undefined : Buffer.from(value, 'base64').toString('utf8')
}

function unusable(reason: ConnectErrorReason, why: string): ConnectError {
  return new ConnectError({
    status: 503,
    message: `The leased cluster cannot be reached: ${why}.`,
    outcome: 'backend_error',
    reason,
  })
}
