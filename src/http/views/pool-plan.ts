/** The plan of a pool as the operator would make it now, in words. */
import { formatTimestamp } from '../../api/timestamp.ts'
import type { PoolStatus } from '../../api/v1alpha1/cluster-pool.ts'
import { field } from '../../core/optional-field.ts'
import { assertNever, type Plan } from '../../core/plan.ts'
import type { PoolAction } from '../../core/pool/action.ts'
import type { PoolObserved } from '../../core/pool/observed.ts'
import { planPool } from '../../core/pool/plan-pool.ts'
import { resolvePoolOptions } from '../../core/pool/resolve-options.ts'
import type { NoteView } from '../schemas/note.ts'
import type { PoolPlan } from '../schemas/pool-plan.ts'
import { nextLookSeconds, noteView } from './planner-note.ts'

/** `now` is epoch milliseconds. */
export function poolPlan(observed: PoolObserved, now: number): PoolPlan {
  const plan = planPool(observed, now)
  return {
    name: observed.pool.metadata.name ?? '',
    at: formatTimestamp(now),
    actions: plan.actions.map(actionView),
    notes: plan.notes.map(noteView),
    ...field('nextLookSeconds', nextLookSeconds(plan.requeueAfterMs)),
    ...field('upgrade', upgradeView(observed, plan)),
  }
}

/** The notes of the next pass: what a reader of the present state wants explained. */
export const poolNotes = (observed: PoolObserved, now: number): NoteView[] =>
  planPool(observed, now).notes.map(noteView)

type ActionView = PoolPlan['actions'][number]

function actionView(action: PoolAction): ActionView {
  const { kind } = action
  switch (kind) {
    case 'AddFinalizer':
      return { kind, message: 'the pool is marked, so that its members are cleaned up before it goes' }
    case 'RemoveFinalizer':
      return { kind, message: 'nothing of the pool is left: it goes' }
    case 'CreateInstance':
      return { kind, member: action.name, message: `a member is created with spec hash ${action.specHash}` }
    case 'RecycleInstance':
      return { kind, member: action.name, reason: action.reason, message: action.message }
    case 'StampInstance':
      return { kind, member: action.name, message: `spec hash ${action.specHash} is recorded on the member` }
    default:
      return assertNever(action)
  }
}

function upgradeView(
  { pool, capabilities }: PoolObserved,
  { status }: Plan<PoolAction, PoolStatus>,
): PoolPlan['upgrade'] {
  const { upgrade } = status
  if (upgrade === undefined) return undefined
  const options = resolvePoolOptions(pool.spec, capabilities.maxConcurrentCreates)
  return {
    remaining: upgrade.remaining,
    floor: options.floor,
    maxRecycling: options.maxRecycling,
    maxSurge: Math.max(0, Math.min(options.maxSurge, options.ceiling - options.warm)),
    ...field('startedAt', pool.status?.upgrade?.startedAt),
  }
}
