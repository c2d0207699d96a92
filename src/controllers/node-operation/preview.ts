/** What the drains of a run will meet: by the objects that are cached, and by evictions on trial. */
import type { ManagedCluster } from '../../api/v1alpha1/managed-cluster.ts'
import { NodeReason } from '../../api/v1alpha1/node-reasons.ts'
import { type Finding, type FindingKind, type NodePreview, previewDrain } from '../../core/drain/preview.ts'
import { describeTrials, podsToTry, trialFindings } from '../../core/drain/trial.ts'
import type { Member } from '../../core/nodes/model.ts'
import { workOf } from '../../core/nodes/pick-batch.ts'
import { isStopped, runFacts } from '../../core/nodes/run-facts.ts'
import type { Note } from '../../core/plan.ts'
import type { NodeDeps } from '../cluster/deps.ts'
import type { ClusterSession } from '../cluster/sessions.ts'
import { namesOf } from './drain/drain-pass.ts'
import { drainPolicyOf } from './drain/policy.ts'
import { type TryEvictions, tryEvictions } from './drain/try-evictions.ts'
import type { OperationView } from './observe.ts'

/** A run over a large cluster says the worst of it, not everything. */
const MOST_NOTES = 20
/** Nodes whose drains are looked at: those that go first. What is true of later ones will have changed by then. */
const MOST_NODES = 500

export interface DrainsPreview {
  readonly findings: readonly Finding[]
  /** How much was tried. */
  readonly notes: readonly Note[]
}

export interface PreviewSubject {
  readonly cluster: ManagedCluster
  readonly session: ClusterSession
  /** In the order in which they go. Those that have no Node, or are stopped, have no drain. */
  readonly members: readonly Member[]
}

export async function previewDrains(
  { clock }: Pick<NodeDeps, 'clock'>,
  { cluster, session, members }: PreviewSubject,
  tryAll: TryEvictions = (client, pods) => tryEvictions({ client, clock }, pods),
): Promise<DrainsPreview> {
  const drained = members.filter((member) => member.node !== undefined && !isStopped(member)).map(({ name }) => name)
  const nodes = drained.slice(0, MOST_NODES)
  const told = (message: string): Note => ({ reason: NodeReason.DrainPreview, level: 'Info', message })
  const part = `the drains of the first ${nodes.length} of ${drained.length} nodes were looked at`
  const notes = nodes.length < drained.length ? [told(part)] : []
  const previews = lookAtDrains(cluster, session, { nodes, now: clock.now() })
  const findings = previews.flatMap((preview) => preview.findings)
  const pods = podsToTry(previews)
  if (pods.length === 0) return { findings, notes }
  const answers = await tryAll(session.client, pods)
  return {
    findings: [...findings, ...trialFindings(previews, answers)],
    notes: [...notes, told(describeTrials(previews, answers))],
  }
}

function lookAtDrains(
  cluster: ManagedCluster,
  session: ClusterSession,
  { nodes, now }: { readonly nodes: readonly string[]; readonly now: number },
): readonly NodePreview[] {
  return previewDrain(
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
}

export interface Previews {
  /** Before the first node of a run is touched: what its drains will meet. Asked for once; the same afterwards. */
  notesFor(view: OperationView): Promise<readonly Note[]>
  forget(operationUid: string): void
}

export function createPreviews(deps: Pick<NodeDeps, 'clock'>): Previews {
  const made = new Map<string, Promise<readonly Note[]>>()
  return {
    async notesFor(view) {
      const subject = subjectOf(view, deps.clock.now())
      if (subject === undefined) return []
      const uid = view.observed.operation.metadata.uid ?? ''
      const notes = made.get(uid) ?? previewDrains(deps, subject).then(notesOf)
      made.set(uid, notes)
      try {
        return await notes
      } catch (error) {
        made.delete(uid)
        throw error
      }
    },
    forget: (uid) => {
      made.delete(uid)
    },
  }
}

/** Undefined unless the operation has just taken its cluster, and has not begun with a node. */
function subjectOf({ observed, session }: OperationView, now: number): PreviewSubject | undefined {
  const { cluster, operation } = observed
  const holder = cluster.status?.operation
  if (session === undefined || holder?.uid !== operation.metadata.uid || holder?.type !== 'Rollout') return undefined
  const isNew = holder.batch === undefined && holder.done === undefined && holder.outcome === undefined
  if (!isNew || holder.wanted === undefined) return undefined
  const { queue } = workOf(runFacts(observed, holder, now))
  return { cluster, session, members: queue.flatMap(({ candidates }) => candidates) }
}

/** Nearly every pod has an emptyDir: that it goes is no news. */
function notesOf({ findings, notes }: DrainsPreview): readonly Note[] {
  const news = findings.filter(({ kind }) => kind !== 'EmptyDir').toSorted(worstFirst)
  return [...news.slice(0, MOST_NOTES).map(noteOf), ...notes]
}

const worstFirst = (a: Finding, b: Finding): number => Number(b.blocks) - Number(a.blocks)

const EXPECTED: ReadonlySet<FindingKind> = new Set(['ClosedBudget', 'LongJob'])

function noteOf({ kind, node, blocks, message }: Finding): Note {
  const level = blocks || !EXPECTED.has(kind) ? 'Warning' : 'Info'
  const prefix = blocks ? 'would not be drained' : 'may take longer to drain'
  return { reason: NodeReason.DrainPreview, level, message: `${node} ${prefix}: ${kind}: ${message}` }
}
