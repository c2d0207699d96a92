/** A way to the API server that ends after so many writes, as it does for a process that is killed. */
import type { KubeClient } from '../../src/kube/client.ts'
import { KubeError } from '../../src/kube/errors.ts'

export interface Death {
  /** It dies at this write, counted from 1. Events and elections are not counted. */
  readonly writes: number
  /** Whether the last write reaches the server. */
  readonly fate: 'applied' | 'lost'
  readonly died: () => void
}

export function dyingClient(client: KubeClient, { writes, fate, died }: Death): KubeClient {
  let left = writes
  let isDead = false
  const dead = (): KubeError => new KubeError('Unreachable', 'the process is dead')
  const reads = async <R>(call: () => Promise<R>): Promise<R> => {
    if (isDead) throw dead()
    return await call()
  }
  const written = async <R>(plural: string, call: () => Promise<R>): Promise<R> => {
    if (isDead) throw dead()
    if (plural === 'events') return await call()
    left -= 1
    if (left > 0) return await call()
    isDead = true
    if (fate === 'applied') await call().catch(() => undefined)
    died()
    throw dead()
  }
  return {
    get: (...args) => reads(() => client.get(...args)),
    list: (...args) => reads(() => client.list(...args)),
    watch: (...args) => client.watch(...args),
    create: (type, ...args) => written(type.plural, () => client.create(type, ...args)),
    replace: (type, ...args) => written(type.plural, () => client.replace(type, ...args)),
    patch: (type, ...args) => written(type.plural, () => client.patch(type, ...args)),
    delete: (type, ...args) => written(type.plural, () => client.delete(type, ...args)),
    raw: (method, ...args) =>
      method === 'GET' ? reads(() => client.raw(method, ...args)) : written('raw', () => client.raw(method, ...args)),
  }
}
