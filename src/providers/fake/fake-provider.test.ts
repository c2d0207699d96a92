import { providerContract } from '../../../test/contract/provider-contract.ts'
import { systemClock } from '../../kube/clock.ts'
import type { ClusterTarget, Provider } from '../provider.ts'
import { ProviderError } from '../provider.ts'
import { createFakeCloud, createFakeProvider, type FakeCloud } from './fake-provider.ts'

providerContract('fake', async () => {
  const clouds = new Map<string, FakeCloud>()
  const of = ({ name }: ClusterTarget): FakeCloud => {
    const cloud = clouds.get(name) ?? createFakeCloud()
    clouds.set(name, cloud)
    return cloud
  }
  const times = { stopMs: 15, startMs: 15, createMs: 15 }
  /** One fake has one cloud; the suite has a cluster per test. */
  const open = (): Provider =>
    new Proxy(createFakeProvider({ clock: systemClock, cloud: createFakeCloud() }), {
      get: (_, method: keyof Provider) =>
        method === 'type'
          ? 'fake'
          : (cluster: ClusterTarget, ...rest: never[]) => {
              const provider = createFakeProvider({ clock: systemClock, cloud: of(cluster), times })
              return (provider[method] as (...args: unknown[]) => unknown)(cluster, ...rest)
            },
    })
  return {
    open,
    cluster: async (name) => ({ namespace: 'kobe-system', name, uid: name, config: { type: 'fake' } }),
    full: async (cluster, offering, isFull) => {
      if (isFull) of(cluster).noRoom.add(offering)
      else of(cluster).noRoom.delete(offering)
    },
    throttle: async (cluster, isThrottled) => {
      const error = new ProviderError('Throttled', 'too many requests', { retryAfterMs: 10 })
      of(cluster).failures.splice(0, Number.POSITIVE_INFINITY, ...(isThrottled ? [error] : []))
    },
    close: async () => clouds.clear(),
  }
})
