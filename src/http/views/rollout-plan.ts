/** The plan of a rollout on the wire. */
import type { PlannedBatch, RolloutPlan } from '../../core/nodes/cluster-insight.ts'
import type { RolloutPlanView } from '../schemas/rollout-plan.ts'
import { noteView } from './planner-note.ts'

/** Copies: the schema speaks of lists that may be changed. */
export function rolloutPlanView(plan: RolloutPlan): RolloutPlanView {
  return {
    ...plan,
    groups: [...plan.groups],
    batches: plan.batches.map(batchView),
    leftOut: [...plan.leftOut],
    notes: plan.notes.map(noteView),
  }
}

const batchView = (batch: PlannedBatch): RolloutPlanView['batches'][number] => ({
  ...batch,
  waitsFor: [...batch.waitsFor],
  nodes: batch.nodes.map(({ findings, reasons, ...node }) => ({
    ...node,
    reasons: [...reasons],
    findings: findings.map(({ pods, budgets, ...finding }) => ({ ...finding, pods: [...pods], budgets: [...budgets] })),
  })),
})
