/** What a new control plane holds before anyone writes to it. */

import type { Core } from './registry/core.ts'
import { createObject } from './registry/create-object.ts'
import { FieldFindings } from './registry/field-findings.ts'
import { keyOf } from './store/entry.ts'

const SYSTEM_NAMESPACES = ['default', 'kube-system', 'kube-public', 'kube-node-lease']

/** Creates what is missing; a store that was used before keeps what it has. */
export function bootstrap(core: Core): void {
  for (const name of SYSTEM_NAMESPACES) {
    if (core.store.get('namespaces', name) === undefined) create(core, 'namespaces', undefined, { metadata: { name } })
  }
}

/** Every namespace has the root CA and a ServiceAccount: pods and their clients expect both. */
export class NamespaceFurniture {
  readonly #core: Core
  readonly #rootCa: string

  constructor(core: Core, rootCa: string) {
    this.#core = core
    this.#rootCa = rootCa
  }

  /** Furnishes all namespaces, and each one that comes; what is deleted from a living namespace comes back. */
  start(): void {
    const { store } = this.#core
    for (const entry of [...store.collection('namespaces').entries()]) this.#furnish(entry.key)
    store.onEvent(({ type, resource, entry }) => {
      if (resource === 'namespaces' && type === 'ADDED') this.#furnish(entry.key)
      else if (type === 'DELETED' && isFurniture(resource, entry.key)) this.#furnish(entry.key.split('/')[0] ?? '')
    })
  }

  #furnish(namespace: string): void {
    const { store } = this.#core
    const owner = store.get('namespaces', namespace)
    if (owner === undefined || owner.object.metadata.deletionTimestamp !== undefined) return
    if (store.get('configmaps', keyOf(namespace, ROOT_CA)) === undefined) {
      create(this.#core, 'configmaps', namespace, { metadata: { name: ROOT_CA }, data: { 'ca.crt': this.#rootCa } })
    }
    if (store.get('serviceaccounts', keyOf(namespace, 'default')) === undefined) {
      create(this.#core, 'serviceaccounts', namespace, { metadata: { name: 'default' } })
    }
  }
}

const ROOT_CA = 'kube-root-ca.crt'

function isFurniture(resource: string, key: string): boolean {
  return (
    (resource === 'configmaps' && key.endsWith(`/${ROOT_CA}`)) ||
    (resource === 'serviceaccounts' && key.endsWith('/default'))
  )
}

function create(core: Core, plural: string, namespace: string | undefined, body: object): void {
  const definition = core.registry.find('', 'v1', plural)
  if (definition === undefined) return
  createObject(core, { definition, namespace, findings: new FieldFindings('Ignore'), dryRun: false }, body)
}
