/** Role based access control: what the bindings of a user, and of the groups it is in, allow. */
import type { Attributes, Decision } from '../auth/authorize.ts'
import type { UserInfo } from '../auth/user.ts'
import type { WriteCore } from '../registry/core.ts'
import { keyOf } from '../store/entry.ts'
import type { Store } from '../store/store.ts'
import { AggregatedRoles } from './aggregated-roles.ts'
import { BindingIndex, CLUSTER_ROLES, describeBinding, ROLES, type RoleRef } from './binding-index.ts'
import { createDefaults } from './default-objects.ts'
import { type PolicyRule, ruleAllows, rulesOf } from './policy-rule.ts'

const RBAC_GROUP = 'rbac.authorization.k8s.io'

export class Evaluator {
  readonly #store: Store
  readonly #index: BindingIndex

  /** Creates the default roles and bindings that are missing, and keeps aggregated roles up to date from then on. */
  constructor(core: WriteCore) {
    this.#store = core.store
    createDefaults(core)
    new AggregatedRoles(core.store).start()
    this.#index = new BindingIndex(core.store)
  }

  decide(attributes: Attributes): Decision {
    const { user, resource } = attributes
    const missing: string[] = []
    for (const binding of this.#index.of(user, resource?.namespace)) {
      const rules = this.rulesOfRole(binding.roleRef, binding.namespace)
      if (rules === undefined) missing.push(describeMissing(binding.roleRef))
      else if (rules.some((rule) => ruleAllows(rule, attributes))) {
        return { allowed: true, reason: `RBAC: allowed by ${describeBinding(binding, user)}` }
      }
    }
    return { allowed: false, reason: missing.length === 0 ? '' : `RBAC: ${joinErrors(missing)}` }
  }

  /** All rules that hold for a user: for all namespaces, and, when one is named, in that one. */
  rulesFor(user: UserInfo, namespace: string | undefined): { rules: PolicyRule[]; missing: string[] } {
    const rules: PolicyRule[] = []
    const missing: string[] = []
    for (const binding of this.#index.of(user, namespace)) {
      const found = this.rulesOfRole(binding.roleRef, binding.namespace)
      if (found === undefined) missing.push(describeMissing(binding.roleRef))
      else rules.push(...found)
    }
    return { rules, missing }
  }

  /** Undefined: there is no such role. */
  rulesOfRole({ kind, name }: RoleRef, namespace: string): readonly PolicyRule[] | undefined {
    const clusterWide = kind === 'ClusterRole'
    const entry = this.#store.get(clusterWide ? CLUSTER_ROLES : ROLES, clusterWide ? name : keyOf(namespace, name))
    return entry === undefined ? undefined : rulesOf(entry.object)
  }
}

function describeMissing({ kind, name }: RoleRef): string {
  return `${kind.toLowerCase()}.${RBAC_GROUP} "${name}" not found`
}

/** One as it is, several as a list without repetitions. */
export function joinErrors(errors: readonly string[]): string {
  const distinct = [...new Set(errors)]
  return distinct.length === 1 ? (distinct[0] ?? '') : `[${distinct.join(', ')}]`
}
