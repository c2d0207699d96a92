/**
 * One client over several API servers of the same cluster. The one that answered last is asked first. A read that finds nobody
 * is asked of the others; a write is not repeated, as it may have been applied: it fails, and the next request goes elsewhere.
 *
 * A server that has died without a word keeps its connections open, and a watch on one of them waits for ever. So while there are
 * watches the server in use is asked from time to time whether it still serves:
 *
 *   serves   any answer but 5xx: all is well
 *   sick     5xx, as while it shuts down: another one that serves is taken
 *   silent   no answer in time: another one is taken, and if there is none, what is open ends all the same
 *
 * When a server is left, its watches end and the requests that wait for it fail, all as `Unreachable`.
 */
import type { KubeObject, ResourceType } from '../api/resource.ts'
import type { KubeClient, WatchEvent, WatchOptions } from './client.ts'
import { type Clock, systemClock } from './clock.ts'
import { isKubeError, KubeError } from './errors.ts'

export interface ClosableKube extends KubeClient {
  close(): void
  /** Ends every connection; the next request opens a new one. */
  disconnect?(): void
}

export interface FallbackOptions {
  /** Default: that of the system. */
  readonly clock?: Clock
  /** How often the server in use is asked, milliseconds; default 5 000. */
  readonly probeEveryMs?: number
  /** How long it may take to answer, milliseconds; default 4 000. */
  readonly probeTimeoutMs?: number
}

const PROBE_EVERY_MS = 5_000
const PROBE_TIMEOUT_MS = 4_000

type Health = 'serves' | 'sick' | 'silent'

interface Server {
  readonly client: ClosableKube
  /** What to call when it is left. */
  readonly waiting: Set<(error: KubeError) => void>
}

/** @throws RangeError for no client at all. */
export function createFallbackClient(clients: readonly ClosableKube[], options: FallbackOptions = {}): ClosableKube {
  const servers = clients.map((client): Server => ({ client, waiting: new Set() }))
  const [first] = servers
  if (first === undefined) throw new RangeError('a fallback needs at least one client')
  return new Fallback(servers, first, options)
}

class Fallback implements ClosableKube {
  readonly #servers: readonly Server[]
  readonly #options: Required<FallbackOptions>
  #current: Server
  #watches = 0
  #cancelProbe: (() => void) | undefined
  #isClosed = false

  constructor(servers: readonly Server[], first: Server, options: FallbackOptions) {
    this.#servers = servers
    this.#current = first
    const { clock = systemClock, probeEveryMs = PROBE_EVERY_MS, probeTimeoutMs = PROBE_TIMEOUT_MS } = options
    this.#options = { clock, probeEveryMs, probeTimeoutMs }
  }

  readonly get: KubeClient['get'] = (...args) => this.#read((client) => client.get(...args))
  readonly list: KubeClient['list'] = (...args) => this.#read((client) => client.list(...args))
  readonly create: KubeClient['create'] = (...args) => this.#write((client) => client.create(...args))
  readonly replace: KubeClient['replace'] = (...args) => this.#write((client) => client.replace(...args))
  readonly patch: KubeClient['patch'] = (...args) => this.#write((client) => client.patch(...args))
  readonly delete: KubeClient['delete'] = (...args) => this.#write((client) => client.delete(...args))

  readonly raw: KubeClient['raw'] = (method, ...args) => {
    const call = (client: KubeClient): Promise<unknown> => client.raw(method, ...args)
    return method === 'GET' ? this.#read(call) : this.#write(call)
  }

  readonly watch: KubeClient['watch'] = (type, options) => this.#watch(type, options)

  readonly close = (): void => {
    this.#isClosed = true
    this.#cancelProbe?.()
    for (const { client } of this.#servers) client.close()
  }

  async #read<R>(call: (client: KubeClient) => Promise<R>): Promise<R> {
    for (let left = this.#servers.length; ; left--) {
      try {
        return await this.#write(call)
      } catch (error) {
        if (left <= 1 || !isNoAnswer(error)) throw error
      }
    }
  }

  async #write<R>(call: (client: KubeClient) => Promise<R>): Promise<R> {
    const server = this.#current
    const left = Promise.withResolvers<never>()
    server.waiting.add(left.reject)
    try {
      return await Promise.race([call(server.client), left.promise])
    } catch (error) {
      if (isNoAnswer(error)) this.#leave(server, this.#after(server))
      throw error
    } finally {
      server.waiting.delete(left.reject)
    }
  }

  async *#watch<T extends KubeObject>(
    type: ResourceType<T>,
    options: WatchOptions,
  ): AsyncGenerator<WatchEvent<T>, void, undefined> {
    const server = this.#current
    const cut = new AbortController()
    const leave = (error: KubeError): void => cut.abort(error)
    server.waiting.add(leave)
    this.#watches += 1
    this.#probeLater()
    try {
      const signal = options.signal === undefined ? cut.signal : AbortSignal.any([options.signal, cut.signal])
      yield* server.client.watch(type, { ...options, signal })
      if (cut.signal.aborted && options.signal?.aborted !== true) throw cut.signal.reason
    } catch (error) {
      if (isNoAnswer(error)) this.#leave(server, this.#after(server))
      throw error
    } finally {
      server.waiting.delete(leave)
      this.#watches -= 1
    }
  }

  #after(server: Server): Server {
    return this.#servers[(this.#servers.indexOf(server) + 1) % this.#servers.length] ?? server
  }

  /** Does nothing when it was left before, and when there is no other. */
  #leave(server: Server, next: Server): void {
    if (this.#current !== server || next === server) return
    this.#current = next
    this.#end(server)
  }

  /** Connections that are kept for later are as dead as those in use. */
  #end({ client, waiting }: Server): void {
    const error = new KubeError('Unreachable', 'the API server does not answer any more')
    for (const fail of [...waiting]) fail(error)
    client.disconnect?.()
  }

  /** One round at a time; the last one finds no watch, and none follows. */
  #probeLater(): void {
    if (this.#cancelProbe !== undefined || this.#isClosed) return
    const { clock, probeEveryMs } = this.#options
    const again = (): void => {
      this.#cancelProbe = undefined
      if (this.#watches > 0) this.#probeLater()
    }
    this.#cancelProbe = clock.setTimer(probeEveryMs, () => {
      this.#probeRound().then(again, again)
    })
  }

  async #probeRound(): Promise<void> {
    const server = this.#current
    const health = this.#watches === 0 ? 'serves' : await this.#probe(server)
    if (health === 'serves') return
    const others = this.#servers.filter((other) => other !== server)
    const found = await Promise.all(others.map((other) => this.#probe(other)))
    const next = others[found.indexOf('serves')] ?? (health === 'silent' ? others[found.indexOf('sick')] : server)
    if (next !== undefined) this.#leave(server, next)
    else this.#end(server)
  }

  async #probe({ client }: Server): Promise<Health> {
    const { clock, probeTimeoutMs } = this.#options
    const late = Promise.withResolvers<Health>()
    const cancel = clock.setTimer(probeTimeoutMs, () => late.resolve('silent'))
    const answered = client.raw('GET', '/readyz').then((): Health => 'serves', healthOf)
    return await Promise.race([answered, late.promise]).finally(cancel)
  }
}

function healthOf(error: unknown): Health {
  if (isNoAnswer(error)) return 'silent'
  // Whatever else it says, such as that we may not ask for this, it says itself.
  return isKubeError(error, 'ServerError') ? 'sick' : 'serves'
}

/** Rather than the answer of a server that something took too long. */
const isNoAnswer = (error: unknown): boolean =>
  isKubeError(error, 'Unreachable', 'Timeout') && error.details.status === undefined
