/**
 * Machines that exist in a ConfigMap only, beside the ManagedCluster. The provider writes what is asked for; `cloud.ts` does it
 * in its own time, so a job goes on when the operator that asked for it has died.
 */
import type { ConfigMap } from '../../api/core-resources.ts'
import { CONFIG_MAPS } from '../../api/core-resources.ts'
import type { KubeClient, ObjectRef } from '../../kube/client.ts'
import type { Clock } from '../../kube/clock.ts'
import { isKubeError } from '../../kube/errors.ts'
import { type ClusterTarget, type Provider, ProviderError } from '../provider.ts'
import { type CloudFacts, createRecordProvider, type RecordStore } from '../record-provider.ts'
import { recordsOf, updateMachineMap } from './machine-map.ts'
import { scriptOf } from './script.ts'

export interface SimulatedProviderOptions {
  /** Of the API server that holds the ManagedClusters. */
  readonly client: KubeClient
  readonly clock: Clock
}

const DEFAULT_NAME = 'machines'
const THROTTLED_MS = 1_000

export function createSimulatedProvider({ client, clock }: SimulatedProviderOptions): Provider {
  const inTurn = createTurns()
  const store: RecordStore = {
    read: (cluster) => asProviderErrors(cluster, async (ref) => factsOf(answering(await client.get(CONFIG_MAPS, ref)))),
    update: (cluster, change) =>
      asProviderErrors(cluster, async (ref) => {
        const write = () =>
          updateMachineMap(client, ref, (present) => change(recordsOf(answering(present)), clock.now()))
        return factsOf(await inTurn(`${ref.namespace}/${ref.name}`, write))
      }),
  }
  return createRecordProvider('simulated', store)
}

/** One after the other by key: writers of one process that meet on one object would only make each other try again. */
function createTurns(): <T>(key: string, call: () => Promise<T>) => Promise<T> {
  const last = new Map<string, Promise<unknown>>()
  return async (key, call) => {
    const before = last.get(key) ?? Promise.resolve()
    const mine = before.then(call, call)
    last.set(key, mine)
    try {
      return await mine
    } finally {
      if (last.get(key) === mine) last.delete(key)
    }
  }
}

function refOf({ namespace, config }: ClusterTarget): ObjectRef {
  const simulated = config['simulated']
  const named = typeof simulated === 'object' && simulated !== null && 'configMap' in simulated
  return { namespace, name: named ? String(simulated.configMap) : DEFAULT_NAME }
}

/** @throws ProviderError when the script says that this cloud does not answer */
function answering(configMap: ConfigMap): ConfigMap {
  const { throttled, unavailable } = scriptOf(configMap)
  if (throttled) throw new ProviderError('Throttled', 'too many requests', { retryAfterMs: THROTTLED_MS })
  if (unavailable) throw new ProviderError('Transient', 'the simulated cloud does not answer')
  return configMap
}

function factsOf(configMap: ConfigMap): CloudFacts {
  const script = scriptOf(configMap)
  return { ...script, records: recordsOf(configMap), troubles: script }
}

async function asProviderErrors<T>(cluster: ClusterTarget, call: (ref: ObjectRef) => Promise<T>): Promise<T> {
  const ref = refOf(cluster)
  try {
    return await call(ref)
  } catch (cause) {
    if (cause instanceof ProviderError) throw cause
    if (isKubeError(cause, 'NotFound')) {
      const message = `ConfigMap ${ref.namespace}/${ref.name}, which holds the machines of ${cluster.name}, does not exist`
      throw new ProviderError('Refused', message, { cause })
    }
    const code = isKubeError(cause, 'Conflict') ? 'Conflict' : 'Transient'
    throw new ProviderError(code, `the machines of ${cluster.name} cannot be read or written`, { cause })
  }
}
