/** Role based access control: what the bindings of a user, and of the groups it is in, allow. */
import type { Attributes, Authorizer, Decision } from '../auth/authorize.ts'
import type { Impersonation } from '../auth/impersonate.ts'
import { MASTERS_GROUP, type UserInfo } from '../auth/user.ts'
import type { WriteCore } from '../registry/core.ts'
import { keyOf } from '../store/entry.ts'
import type { Store } from '../store/store.ts'
import { AggregatedRoles } from './aggregated-roles.ts'
import { BindingIndex, CLUSTER_ROLES, describeBinding, ROLES, type RoleRef } from './binding-index.ts'
import { createDefaults } from './default-objects.ts'
import { type PolicyRule, ruleAllows, rulesOf } from './policy-rule.ts'

const MASTERS: Decision = { allowed: true, reason: '' }

export class Rbac {
  readonly #core: WriteCore
  #index: BindingIndex | undefined
  #impersonation: Promise<Impersonation> | undefined

  constructor(core: WriteCore) {
    this.#core = core
  }

  readonly authorize: Authorizer = (attributes) =>
    attributes.user.groups.includes(MASTERS_GROUP) ? MASTERS : this.#decide(attributes)

  /**
   * Creates the default roles and bindings that are missing, and keeps aggregated roles up to date from then on. Done
   * when a role is first needed: a server whose clients are all in `system:masters` never pays for it.
   */
  prepare(): BindingIndex {
    if (this.#index === undefined) {
      createDefaults(this.#core)
      new AggregatedRoles(this.#core.store).start()
      this.#index = new BindingIndex(this.#core.store)
    }
    return this.#index
  }

  /** Loaded with the first request that wants it. */
  impersonation(): Promise<Impersonation> {
    this.#impersonation ??= import('../auth/impersonate.ts').then((module) => new module.Impersonation(this.authorize))
    return this.#impersonation
  }

  /** All rules that hold for a user: for all namespaces, and, when one is named, in that one. */
  rulesFor(user: UserInfo, namespace: string | undefined): { rules: PolicyRule[]; missing: string[] } {
    const rules: PolicyRule[] = []
    const missing: string[] = []
    for (const binding of this.prepare().of(user, namespace)) {
      const found = this.#find(binding.roleRef, binding.namespace)
      if (found === undefined) missing.push(describeMissing(binding.roleRef))
      else rules.push(...found)
    }
    return { rules, missing }
  }

  /** Undefined: there is no such role. */
  rulesOfRole(ref: RoleRef, namespace: string): readonly PolicyRule[] | undefined {
    this.prepare()
    return this.#find(ref, namespace)
  }

  #decide(attributes: Attributes): Decision {
    const { user, resource } = attributes
    const missing: string[] = []
    for (const binding of this.prepare().of(user, resource?.namespace)) {
      const rules = this.#find(binding.roleRef, binding.namespace)
      if (rules === undefined) missing.push(describeMissing(binding.roleRef))
      else if (rules.some((rule) => ruleAllows(rule, attributes))) {
        return { allowed: true, reason: `RBAC: allowed by ${describeBinding(binding, user)}` }
      }
    }
    return { allowed: false, reason: missing.length === 0 ? '' : `RBAC: ${joinErrors(missing)}` }
  }

  #find({ kind, name }: RoleRef, namespace: string): readonly PolicyRule[] | undefined {
    return findRules(this.#core.store, kind === 'ClusterRole', kind === 'ClusterRole' ? name : keyOf(namespace, name))
  }
}

const RBAC_GROUP = 'rbac.authorization.k8s.io'

function findRules(store: Store, clusterWide: boolean, key: string): readonly PolicyRule[] | undefined {
  const entry = store.get(clusterWide ? CLUSTER_ROLES : ROLES, key)
  return entry === undefined ? undefined : rulesOf(entry.object)
}

function describeMissing({ kind, name }: RoleRef): string {
  return `${kind.toLowerCase()}.${RBAC_GROUP} "${name}" not found`
}

/** One as it is, several as a list without repetitions. */
export function joinErrors(errors: readonly string[]): string {
  const distinct = [...new Set(errors)]
  return distinct.length === 1 ? (distinct[0] ?? '') : `[${distinct.join(', ')}]`
}
