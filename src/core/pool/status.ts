/** The status a pool should have, computed whole in each pass, so that what no longer applies is really cleared. */
import { formatTimestamp } from '../../api/timestamp.ts'
import type { PoolStatus } from '../../api/v1alpha1/cluster-pool.ts'
import { field } from '../optional-field.ts'
import { poolConditions } from './conditions.ts'
import type { Draft, PoolFacts } from './facts.ts'
import { phaseOf } from './phase.ts'
import { type Target, targetOf } from './target.ts'
import { driftedCount, upgradeOf } from './upgrade.ts'

export function poolStatus(facts: PoolFacts, draft: Draft): PoolStatus {
  const { observed, by, queueDepth } = facts
  const { pool, specHash } = observed
  const before = pool.status
  const upgrade = upgradeOf(facts, draft)
  const phase = phaseOf(facts, draft, upgrade !== undefined)
  const target = targetOf(facts, draft)
  return {
    ...field('observedGeneration', pool.metadata.generation),
    phase,
    ready: by.ready.length,
    leased: by.leased.length,
    creating: by.creating.length,
    recycling: by.recycling.length,
    unhealthy: by.unhealthy.length,
    quarantined: by.quarantined.length,
    queueDepth,
    warmTarget: target.total,
    drifted: driftedCount(facts),
    // A hash that cannot be told now leaves the last known one: forgetting it would look like a change of the template.
    ...field('currentSpecHash', specHash.state === 'known' ? specHash.hash : before?.currentSpecHash),
    ...field('specHashSources', (specHash.state === 'known' ? specHash.sources : undefined) ?? before?.specHashSources),
    ...field('effectiveSurge', upgrade === undefined ? undefined : effectiveSurge(facts, target)),
    ...field('upgrade', upgrade),
    ...indexes(facts, draft),
    ...failureStatus(facts),
    ...field('goldenBackup', before?.goldenBackup),
    ...field('goldenTemplateDb', before?.goldenTemplateDb),
    ...field('goldenGeneration', before?.goldenGeneration),
    conditions: poolConditions({ facts, draft, phase, target, ...field('upgrade', upgrade) }),
  }
}

/** The part of the surge that fits under the ceiling: what is on board already, and the places that are free. */
function effectiveSurge({ members, options }: PoolFacts, { surge, warm, have }: Target): number {
  const onBoard = Math.max(0, have - warm)
  return Math.min(surge, onBoard + Math.max(0, options.ceiling - members.length))
}

type Indexes = Pick<PoolStatus, 'highestIndex' | 'maxAttemptedIndex' | 'lastReadyMaxIndex'>

/** High-water marks: they include what this pass is about to create, as the status is written first. */
function indexes({ observed, members, by }: PoolFacts, { actions }: Draft): Indexes {
  const before = observed.pool.status
  const created = actions.map((action) => (action.kind === 'CreateInstance' ? action.index : 0))
  const highestIndex = Math.max(before?.highestIndex ?? 0, ...members.map((member) => member.index), ...created)
  const usable = [...by.ready, ...by.leased].map((member) => member.index)
  return {
    highestIndex,
    maxAttemptedIndex: highestIndex,
    lastReadyMaxIndex: Math.max(before?.lastReadyMaxIndex ?? 0, ...usable),
  }
}

type FailureStatus = Pick<PoolStatus, 'consecutiveFailures' | 'failures' | 'nextAttemptAt' | 'lastFailureReason'>

function failureStatus({ failures }: PoolFacts): FailureStatus {
  const { consecutive, records, nextAttemptAt, lastReason } = failures
  return {
    consecutiveFailures: consecutive,
    failures: [...records],
    ...field('nextAttemptAt', nextAttemptAt === undefined ? undefined : formatTimestamp(nextAttemptAt)),
    ...field('lastFailureReason', consecutive === 0 ? undefined : lastReason),
  }
}
