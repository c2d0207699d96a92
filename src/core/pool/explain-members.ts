/** Why members of a pool are outdated: read off the objects alone, so every replica and every tool finds the same. */
import type { ClusterInstance } from '../../api/v1alpha1/cluster-instance.ts'
import type { ClusterPool } from '../../api/v1alpha1/cluster-pool.ts'
import { field } from '../optional-field.ts'
import { type Member, toMember } from './member.ts'
import type { SpecHashState } from './observed.ts'
import { changedSources, withoutSecrets } from './spec-change.ts'
import { explainDrift, type InputChange, SPEC_HASH_VERSION, type SpecSource, specHashInputs } from './spec-hash.ts'

export interface MemberExplanation {
  readonly name: string
  readonly phase: string
  readonly specHash?: string
  /** `unknown`: not stamped, or stamped by another algorithm. */
  readonly state: 'current' | 'drifted' | 'unknown'
  /** Sources that differ from the present template; empty when nothing differs or nobody can tell. */
  readonly sources: readonly SpecSource[]
  /** Changes of cluster, backend and resources since it was made; values that may hold secrets are left out. */
  readonly changes: readonly InputChange[]
}

export function explainMembers(pool: ClusterPool, instances: readonly ClusterInstance[]): MemberExplanation[] {
  const current = currentHash(pool)
  return instances
    .map((instance) => ({ instance, member: toMember(instance, current) }))
    .sort((left, right) => left.member.index - right.member.index)
    .map(({ instance, member }) => ({
      name: member.name,
      phase: instance.status?.phase ?? 'Creating',
      ...field('specHash', member.specHash),
      state: stateOf(member, current),
      ...(member.drifted ? causes(pool, instance) : { sources: [], changes: [] }),
    }))
}

function stateOf({ drifted, needsStamp, specHash }: Member, current: SpecHashState): MemberExplanation['state'] {
  if (drifted) return 'drifted'
  return current.state === 'known' && !needsStamp && specHash !== undefined ? 'current' : 'unknown'
}

const causes = (pool: ClusterPool, instance: ClusterInstance): Pick<MemberExplanation, 'sources' | 'changes'> => ({
  sources: changedSources(instance.status?.specHashSources, pool.status?.specHashSources),
  changes: templateChanges(pool, instance).map(withoutSecrets),
})

function currentHash({ status }: ClusterPool): SpecHashState {
  if (status?.currentSpecHash === undefined) {
    return { state: 'unreadable', reason: 'NotObserved', message: 'the operator has not looked at the pool yet' }
  }
  const version = status.specHashSources?.version ?? SPEC_HASH_VERSION
  return { state: 'known', hash: status.currentSpecHash, version }
}

/** From what the member was created with to what the pool says now; addons and bootstraps are not recorded with a member. */
function templateChanges(pool: ClusterPool, { status }: ClusterInstance): InputChange[] {
  const { backend, cluster, resources } = status?.createdWith ?? {}
  if (backend === undefined || cluster === undefined) return []
  const { resources: _resources, ...rest } = pool.spec
  const before = { ...pool, spec: { ...rest, backend, cluster, ...field('resources', resources) } }
  return explainDrift(inputs(before), inputs(pool))
}

const inputs = (pool: ClusterPool) => specHashInputs({ pool, operator: {}, bootstraps: [], fingerprint: null })
