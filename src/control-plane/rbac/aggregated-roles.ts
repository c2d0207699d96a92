/** ClusterRoles with an aggregationRule: their rules are those of the ClusterRoles that the rule selects. */
import type { StoredObject } from '../registry/resource-definition.ts'
import { equalJson, isObject } from '../schema/json.ts'
import { labelSelectorMatches, type ObjectLabelSelector } from '../selectors/match-label-selector.ts'
import type { Entry } from '../store/entry.ts'
import type { Store } from '../store/store.ts'
import { CLUSTER_ROLES } from './binding-index.ts'
import { type PolicyRule, rulesOf } from './policy-rule.ts'

export class AggregatedRoles {
  readonly #store: Store
  readonly #ours = new WeakSet<Entry>()
  #busy = false

  constructor(store: Store) {
    this.#store = store
  }

  start(): void {
    this.#settle()
    this.#store.watch(CLUSTER_ROLES, ({ entry }) => {
      if (!this.#busy && !this.#ours.has(entry)) this.#settle()
    })
  }

  /**
   * An aggregated role may be selected by another one, so a pass may make the next one necessary. Roles that select each
   * other in a circle may never come to rest; they get as many passes as there are aggregated roles.
   */
  #settle(): void {
    this.#busy = true
    try {
      let passes = 0
      for (let limit = 1; passes < limit; passes += 1) {
        const { aggregated, written } = this.#pass()
        limit = written === 0 ? 0 : aggregated + 1
      }
    } finally {
      this.#busy = false
    }
  }

  #pass(): { aggregated: number; written: number } {
    const entries = [...this.#store.collection(CLUSTER_ROLES).entries()]
    let [aggregated, written] = [0, 0]
    for (const entry of entries) {
      const selectors = selectorsOf(entry.object)
      if (selectors.length === 0) continue
      aggregated += 1
      if (this.#aggregate(entry, selectors, entries)) written += 1
    }
    return { aggregated, written }
  }

  #aggregate(entry: Entry, selectors: readonly ObjectLabelSelector[], all: readonly Entry[]): boolean {
    const others = all.filter((other) => other.key !== entry.key)
    const rules = collectRules(selectors, others)
    if (equalJson(rules, rulesOf(entry.object))) return false
    this.#ours.add(this.#store.put(CLUSTER_ROLES, entry.key, { ...entry.copy(), rules }, entry))
    return true
  }
}

function selectorsOf(role: StoredObject): ObjectLabelSelector[] {
  const rule = role['aggregationRule']
  const selectors = isObject(rule) ? rule['clusterRoleSelectors'] : undefined
  return Array.isArray(selectors) ? selectors.filter(isObject) : []
}

function collectRules(selectors: readonly ObjectLabelSelector[], others: readonly Entry[]): PolicyRule[] {
  const selected = selectors.flatMap((selector) =>
    others.filter(({ object }) => labelSelectorMatches(selector, object.metadata.labels)),
  )
  const rules: PolicyRule[] = []
  for (const rule of selected.flatMap(({ object }) => rulesOf(object))) {
    if (!rules.some((known) => equalJson(known, rule))) rules.push(rule)
  }
  return rules
}
