/** What strategies of built-in kinds ask about other objects. */
import type { PriorityClasses, PriorityOfClass } from '../builtin/priority-classes.ts'
import type { ServiceAddresses } from '../builtin/service-addresses.ts'
import { isObject } from '../schema/json.ts'
import type { Store } from '../store/store.ts'
import type { StoredObject } from './resource-definition.ts'

/** Addresses that the stored Services use. */
export function serviceAddresses(store: Store): ServiceAddresses {
  const specs = (): unknown[] => [...store.collection('services').entries('')].map(({ object }) => object['spec'])
  return {
    isClusterIpTaken: (address) => specs().some((spec) => isObject(spec) && spec['clusterIP'] === address),
    isNodePortTaken: (port) =>
      specs().some((spec) => portsOf(spec).some((one) => isObject(one) && one['nodePort'] === port)),
  }
}

function portsOf(spec: unknown): unknown[] {
  return isObject(spec) && Array.isArray(spec['ports']) ? spec['ports'] : []
}

const CLASSES = 'priorityclasses.scheduling.k8s.io'

export function priorityClasses(store: Store): PriorityClasses {
  return {
    find: (name) => {
      const entry = store.get(CLASSES, name)
      return entry === undefined ? undefined : priorityOf(entry.object)
    },
    globalDefault: () => {
      const classes = [...store.collection(CLASSES).entries('')].map(({ object }) => object)
      // Of several the one that is worth least `[k8s]`.
      return classes
        .filter((one) => one['globalDefault'] === true)
        .map(priorityOf)
        .sort((left, right) => left.value - right.value)[0]
    },
  }
}

function priorityOf({ metadata, value, preemptionPolicy }: StoredObject): PriorityOfClass {
  return {
    name: metadata.name,
    value: typeof value === 'number' ? value : 0,
    preemptionPolicy: typeof preemptionPolicy === 'string' ? preemptionPolicy : 'PreemptLowerPriority',
  }
}
