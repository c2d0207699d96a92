/** An informer that shows the writes of this process at once. */
import type { KubeObject, ResourceType } from '../../api/resource.ts'
import type { KubeClient } from '../../kube/client.ts'
import { createInformer, type Informer, type InformerOptions } from '../../kube/informer.ts'
import { createOwnWrites } from '../../kube/own-writes.ts'

export interface Cache<T extends KubeObject> {
  readonly type: ResourceType<T>
  readonly informer: Informer<T>
  get(namespace: string | undefined, name: string): T | undefined
  list(): T[]
  /** @throws RangeError for an index that was not declared. */
  byIndex(index: string, value: string): T[]
  /** The server's answer to a write. */
  record(written: T): void
}

/** Objects whose controller has this UID. */
export const BY_CONTROLLER = 'controller'
export const BY_NAMESPACE = 'namespace'
/** Pods that are bound to this node; pods without a node under the empty name. */
export const BY_NODE = 'node'

export function createCache<T extends KubeObject>(
  client: KubeClient,
  type: ResourceType<T>,
  options: InformerOptions<T>,
): Cache<T> {
  const informer = createInformer<T>(client, type, {
    ...options,
    indexes: { [BY_CONTROLLER]: controllerUid, [BY_NAMESPACE]: namespaceOf, ...options.indexes },
  })
  const own = createOwnWrites<T>()
  informer.on((change) => {
    if (change.type === 'DELETED') own.forget(change.object.metadata)
  })
  const latest = (items: Readonly<T>[]): T[] => items.map((item) => own.latest(item))
  return {
    type,
    informer,
    get(namespace, name) {
      const cached = informer.get(namespace, name)
      return cached === undefined ? undefined : own.latest(cached)
    },
    list: () => latest(informer.list()),
    byIndex: (index, value) => latest(informer.byIndex(index, value)),
    record: (written) => own.record(written),
  }
}

function controllerUid({ metadata }: Readonly<KubeObject>): string[] {
  return (metadata.ownerReferences ?? []).filter(({ controller }) => controller === true).map(({ uid }) => uid)
}

function namespaceOf({ metadata }: Readonly<KubeObject>): string[] {
  return [metadata.namespace ?? '']
}
