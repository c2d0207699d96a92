/** What one stage of an operation's plan answers. */
import type { OperationNode } from '../../api/v1alpha1/node-operation.ts'
import type { OperationPhase } from '../../api/v1alpha1/node-phases.ts'
import { NodeReason } from '../../api/v1alpha1/node-reasons.ts'
import type { Note } from '../plan.ts'
import type { NodeAction } from './action.ts'
import type { NodeFacts } from './model.ts'

export interface Step {
  readonly actions?: readonly NodeAction[]
  readonly notes?: readonly Note[]
  /** Absent: as the claim on the cluster says. */
  readonly phase?: OperationPhase
  /** What is going on, for the status. */
  readonly reason: NodeReason
  readonly message: string
  /** Where the nodes of the batch are. */
  readonly nodes?: readonly Omit<OperationNode, 'since'>[]
  readonly wakeAt?: readonly (number | undefined)[]
}

/** How soon to look again at what nobody reports: machines, boot IDs, health. */
export const POLL_MS = 5_000

export const note = (
  reason: NodeReason,
  message: string,
  level: Note['level'] = 'Info',
  about?: { kind: string; name: string; uid?: string },
): Note => ({ reason, message, level, ...(about === undefined ? {} : { about }) })

export const aboutNode = (name: string, uid?: string): { kind: string; name: string; uid?: string } => ({
  kind: 'Node',
  name,
  ...(uid === undefined ? {} : { uid }),
})

/** Of nodes that are about to be rolled. */
export function foreignCordonNotes(nodes: readonly NodeFacts[]): Note[] {
  return nodes
    .filter(({ cordon }) => cordon === 'foreign')
    .map(({ name, uid }) => {
      const message = `${name} was cordoned by somebody else: it is rolled, and stays cordoned`
      return note(NodeReason.ForeignCordon, message, 'Info', aboutNode(name, uid))
    })
}
