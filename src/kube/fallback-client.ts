/**
 * One client over several API servers of the same cluster. The one that answered last is asked first. A read that finds nobody
 * is asked of the others; a write is not repeated, as it may have been applied: it fails, and the next request goes elsewhere.
 */
import type { KubeObject } from '../api/resource.ts'
import type { KubeClient, WatchEvent } from './client.ts'
import { isKubeError } from './errors.ts'

export interface ClosableKube extends KubeClient {
  close(): void
}

/** @throws RangeError for no client at all. */
export function createFallbackClient(clients: readonly ClosableKube[]): ClosableKube {
  const [first] = clients
  if (first === undefined) throw new RangeError('a fallback needs at least one client')
  let current = first
  const after = (client: ClosableKube): ClosableKube => clients[(clients.indexOf(client) + 1) % clients.length] ?? first
  const noted = (error: unknown, client: ClosableKube): unknown => {
    if (isKubeError(error, 'Unreachable') && current === client) current = after(client)
    return error
  }
  const write = async <R>(call: (client: KubeClient) => Promise<R>): Promise<R> => {
    const client = current
    try {
      return await call(client)
    } catch (error) {
      throw noted(error, client)
    }
  }
  const read = async <R>(call: (client: KubeClient) => Promise<R>): Promise<R> => {
    for (let left = clients.length; ; left--) {
      try {
        return await write(call)
      } catch (error) {
        if (left <= 1 || !isKubeError(error, 'Unreachable')) throw error
      }
    }
  }
  async function* watch<T extends KubeObject>(
    ...args: Parameters<KubeClient['watch']>
  ): AsyncGenerator<WatchEvent<T>, void, undefined> {
    const client = current
    try {
      yield* client.watch(...args) as AsyncIterable<WatchEvent<T>>
    } catch (error) {
      throw noted(error, client)
    }
  }
  return {
    get: (...args) => read((client) => client.get(...args)),
    list: (...args) => read((client) => client.list(...args)),
    watch,
    create: (...args) => write((client) => client.create(...args)),
    replace: (...args) => write((client) => client.replace(...args)),
    patch: (...args) => write((client) => client.patch(...args)),
    delete: (...args) => write((client) => client.delete(...args)),
    raw: (method, path, body) => (method === 'GET' ? read : write)((client) => client.raw(method, path, body)),
    close: () => {
      for (const client of clients) client.close()
    },
  }
}
