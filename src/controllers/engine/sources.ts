/** Connects informers with controllers: which change concerns which key. */
import type { KubeObject, OwnerReference } from '../../api/resource.ts'
import type { Informer } from '../../kube/informer.ts'
import { keyOf, objectKey } from '../../kube/object-key.ts'
import type { Controller } from './controller.ts'

/** The keys that a change of the object concerns. */
export type KeysOf<T> = (object: Readonly<T>) => readonly string[]

/**
 * Enqueues the keys of the new state and of the old one: an object that moved from one owner to another concerns both.
 * Present objects count as changes too. The answer ends it.
 */
export function enqueueOnChange<T extends KubeObject>(
  informer: Informer<T>,
  controller: Pick<Controller, 'enqueue'>,
  keysOf: KeysOf<T> = (object) => [objectKey(object as T)],
): () => void {
  return informer.on(({ object, old }) => {
    const keys = new Set([...keysOf(object), ...(old === undefined ? [] : keysOf(old))])
    for (const key of keys) controller.enqueue(key)
  })
}

/** Keys of the owners of one kind; owners live in the namespace of what they own. */
export function ownerKeys(kind: string): KeysOf<KubeObject> {
  const isOfKind = (owner: OwnerReference): boolean => owner.kind === kind
  return ({ metadata }) =>
    (metadata.ownerReferences ?? []).filter(isOfKind).map(({ name }) => keyOf(metadata.namespace, name))
}
