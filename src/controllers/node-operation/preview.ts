/** Before the first node of a run is touched: what its drains will meet, as notes. */
import { NodeReason } from '../../api/v1alpha1/node-reasons.ts'
import { type Finding, type FindingKind, previewDrain } from '../../core/drain/preview.ts'
import { outOfDate } from '../../core/nodes/out-of-date.ts'
import type { Note } from '../../core/plan.ts'
import { namesOf } from './drain/drain-pass.ts'
import { drainPolicyOf } from './drain/policy.ts'
import type { OperationView } from './observe.ts'

/** A run over a large cluster says the worst of it, not everything. */
const MOST_NOTES = 20

/** Empty unless the operation has just taken its cluster, and has not begun with a node. */
export function previewNotes({ observed, session }: OperationView, now: number): readonly Note[] {
  const { cluster, operation, members } = observed
  const holder = cluster.status?.operation
  const isNew = holder?.uid === operation.metadata.uid && holder?.batch === undefined && holder?.done === undefined
  if (!isNew || session === undefined || holder?.outcome !== undefined) return []
  const wanted = new Map((holder?.wanted ?? []).map(({ name, settings }) => [name, settings]))
  const nodes = members
    .filter(({ node, machine, group }) => node !== undefined && outOfDate(machine, wanted.get(group) ?? {}).length > 0)
    .map(({ name }) => name)
  const previews = previewDrain(
    {
      nodes,
      allNodes: session.nodes.list(),
      pods: session.pods.list(),
      budgets: session.budgets.list(),
      daemonSets: namesOf(session.daemonSets.list()),
      policy: drainPolicyOf(cluster),
    },
    now,
  )
  const findings = previews.flatMap((preview) => preview.findings).filter(({ kind }) => kind !== 'EmptyDir')
  return findings.toSorted(worstFirst).slice(0, MOST_NOTES).map(noteOf)
}

const worstFirst = (a: Finding, b: Finding): number => Number(b.blocks) - Number(a.blocks)

const EXPECTED: ReadonlySet<FindingKind> = new Set(['ClosedBudget', 'LongJob'])

function noteOf({ kind, node, blocks, message }: Finding): Note {
  const level = blocks || !EXPECTED.has(kind) ? 'Warning' : 'Info'
  const prefix = blocks ? 'would not be drained' : 'may take longer to drain'
  return { reason: NodeReason.DrainPreview, level, message: `${node} ${prefix}: ${kind}: ${message}` }
}
