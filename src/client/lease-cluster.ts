/** A leased cluster for as long as a scope lasts: asked for, waited for, kept alive, given back. */
import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { parseDuration } from '../api/duration.ts'
import { type Environment, processEnv, readEnvironment } from '../config.ts'
import { createApi, type KobeApi, type LeaseDetail } from './api.ts'
import { KobeError } from './errors.ts'
import { type KeepAlive, keepAlive } from './keep-alive.ts'
import { writeTemporary } from './kubeconfig-file.ts'
import { type LeaseBody, requestLease } from './lease-request.ts'
import { resolveTarget } from './target.ts'
import { type UsableLease, waitForLease } from './wait-for-lease.ts'

export interface LeaseClusterOptions {
  /** Pool to lease from. */
  readonly pool: string
  /** How long the cluster is kept once bound, such as `30m`. Default: the TTL of the pool. Cut to `maxTtl` of your policy. */
  readonly ttl?: string | undefined
  /** A name of your own, unique among your active leases; a DNS label. */
  readonly name?: string | undefined
  /** Free data that the lease carries, such as repository, commit and job. */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined
  /** Refuse clusters that were made from an earlier template of the pool. Default: they will do. */
  readonly fresh?: boolean | undefined
  /** Only a cluster whose end can be proven. Default: no proof. */
  readonly verified?: boolean | undefined
  /** Whether events, resources and logs of the cluster are kept when the lease ends. Default: what the pool says. */
  readonly diagnostics?: boolean | undefined
  /** The server ends the lease when this program gives no sign of life for so long. Default `2m`. */
  readonly idleTimeout?: string | undefined
  /** Extend the lease when its end comes near, as long as your policy allows. Default true. */
  readonly extend?: boolean | undefined
  /** Milliseconds to wait for a cluster; then the lease is given up. Default: as long as the pool lets a lease wait. */
  readonly waitTimeoutMs?: number | undefined
  /** Gives up waiting, and the lease with it. Once the cluster is there it has no effect. */
  readonly signal?: AbortSignal | undefined
  /** Base URL. Default: as the `kobe` command finds it, from `KOBE_ENDPOINT` to the local `kobe up`. */
  readonly endpoint?: string | undefined
  /** Bearer token. Default: that of the endpoint, or `KOBE_TOKEN`. */
  readonly token?: string | undefined
  /** PEM of the CA behind an https endpoint. Default: the system's. */
  readonly ca?: string | undefined
  /** The lease after each look at it while it waits: place, reason, estimate. */
  readonly onWaiting?: ((lease: LeaseDetail) => void) | undefined
  /** A heartbeat failed and is tried again, or an extension was refused. Default: nothing is said. */
  readonly onTrouble?: ((error: KobeError) => void) | undefined
  /** The lease is over before it was released: its cluster is gone. Default: nothing is said. */
  readonly onEnded?: ((error: KobeError) => void) | undefined
}

export interface LeasedCluster extends AsyncDisposable {
  /** Id of the lease. */
  readonly id: string
  readonly pool: string
  /** Name of the cluster. */
  readonly clusterName: string
  /** The kubeconfig itself. It is a credential. */
  readonly kubeconfig: string
  /** A file with it, mode 0600; removed by `release`. */
  readonly kubeconfigPath: string
  /** When the lease ends unless it is extended (RFC 3339). */
  readonly expiresAt: string | undefined
  /** Gives the cluster back. Doing it twice is doing it once; a lease that is over already is no error. */
  release(): Promise<void>
}

const DEFAULT_IDLE_TIMEOUT = '2m'

/**
 * Resolves once the cluster can be used. Throws `KobeError`; whatever went wrong, no lease is left behind: it is released, or
 * ends by itself for want of heartbeats.
 */
export async function leaseCluster(options: LeaseClusterOptions): Promise<LeasedCluster> {
  const api = await apiOf(options, readEnvironment(processEnv()))
  return await leaseWith(api, options)
}

async function apiOf({ endpoint, token, ca }: LeaseClusterOptions, env: Environment): Promise<KobeApi> {
  const target = await resolveTarget(endpoint === undefined ? {} : { endpoint }, env, process.cwd())
  return createApi({ ...target, ...(token === undefined ? {} : { token }), ...(ca === undefined ? {} : { ca }) })
}

/** The same on a client that is there already. */
export async function leaseWith(api: KobeApi, options: LeaseClusterOptions): Promise<LeasedCluster> {
  const idleTimeout = options.idleTimeout ?? DEFAULT_IDLE_TIMEOUT
  const idleTimeoutMs = parseDuration(idleTimeout)
  if (idleTimeoutMs === undefined) {
    throw new KobeError('config', `idle timeout ${idleTimeout} is not a duration`, { fix: 'write it like 90s or 2m' })
  }
  const lease = await acquire(api, options, idleTimeout)
  try {
    return hold(api, { lease, options, idleTimeoutMs })
  } catch (error) {
    await giveUp(api, lease.id)
    throw error
  }
}

export function leaseBody(options: LeaseClusterOptions): LeaseBody & { readonly idempotencyKey: string } {
  const { pool, ttl, name, metadata, fresh, verified, diagnostics } = options
  return {
    profile: pool,
    ...(ttl === undefined ? {} : { ttl }),
    ...(name === undefined ? {} : { alias: name }),
    ...(metadata === undefined ? {} : { metadata }),
    ...(fresh === true ? { allow_stale: false } : {}),
    ...(verified === true ? { cleanup_mode: 'VerifiedDestroy' as const } : {}),
    ...(diagnostics === undefined ? {} : { diagnostics }),
    ...(options.idleTimeout === undefined ? {} : { idle_timeout: options.idleTimeout }),
    idempotencyKey: `kobe-${randomUUID().replaceAll('-', '')}`,
  }
}

async function acquire(api: KobeApi, options: LeaseClusterOptions, idleTimeout: string): Promise<UsableLease> {
  const { signal, waitTimeoutMs: timeoutMs, onWaiting } = options
  const body = leaseBody({ ...options, idleTimeout })
  const { id } = await requestLease(api, body, { signal, budgetMs: timeoutMs })
  try {
    return await waitForLease(api, id, { signal, timeoutMs, onWaiting })
  } catch (error) {
    await giveUp(api, id)
    throw error
  }
}

/** The error that led here is the one to tell; a lease that cannot be released now ends by itself. */
async function giveUp(api: KobeApi, id: string): Promise<void> {
  await releaseLease(api, id).catch(() => undefined)
}

interface Held {
  readonly lease: UsableLease
  readonly options: LeaseClusterOptions
  readonly idleTimeoutMs: number
}

function hold(api: KobeApi, { lease, options, idleTimeoutMs }: Held): LeasedCluster {
  const { id, profile: pool, cluster_name: clusterName = '', kubeconfig } = lease
  const file = writeTemporary(`kobe-${id}.yaml`, kubeconfig)
  const alive = keepAlive(api, { id, idleTimeoutMs, ...extensionOf(lease, options) })
  let released: Promise<void> | undefined
  const release = () => {
    released ??= endOf(api, { id, alive, remove: file.remove })
    return released
  }
  return {
    id,
    pool,
    clusterName,
    kubeconfig,
    kubeconfigPath: file.path,
    get expiresAt() {
      return alive.expiresAt
    },
    release,
    [Symbol.asyncDispose]: release,
  }
}

/** The TTL that was granted is the step of an extension as well. */
export function extensionOf(lease: LeaseDetail, options: LeaseClusterOptions) {
  const { onTrouble, onEnded } = options
  const granted = lease.ttl
  const asks = options.extend !== false && granted !== undefined
  return {
    expiresAt: lease.expires_at,
    ...(asks ? { extendBy: granted, extendByMs: parseDuration(granted) } : {}),
    onTrouble,
    onEnded,
  }
}

async function endOf(
  api: KobeApi,
  { id, alive, remove }: { readonly id: string; readonly alive: KeepAlive; readonly remove: () => void },
): Promise<void> {
  await alive.stop()
  remove()
  await releaseLease(api, id)
}

const RELEASE_ATTEMPTS = 5

/** Answers whether there was a lease to release. Tries again where that helps; throws the last `KobeError`. */
export async function releaseLease(api: KobeApi, id: string, signal?: AbortSignal): Promise<boolean> {
  for (let attempt = 1; attempt < RELEASE_ATTEMPTS; attempt += 1) {
    try {
      return await releaseOnce(api, id, signal)
    } catch (error) {
      if (!mayPass(error)) throw error
      await pause(200 * 2 ** attempt, undefined, { signal })
    }
  }
  return await releaseOnce(api, id, signal)
}

async function releaseOnce(api: KobeApi, id: string, signal: AbortSignal | undefined): Promise<boolean> {
  try {
    await api.call('releaseLease', { params: { id } }, { signal, timeoutMs: 15_000 })
    return true
  } catch (error) {
    if (error instanceof KobeError && error.status === 404) return false
    throw error
  }
}

const mayPass = (error: unknown): boolean =>
  error instanceof KobeError && (error.code === 'unreachable' || error.status === 409 || (error.status ?? 0) >= 500)
