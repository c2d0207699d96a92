/** Whether a node is one that a pod asks for: nodeSelector and required node affinity. */
import type { Node, NodeSelectorTerm, PodSpec } from '../kinds.ts'
import { isMet, labelsMatch } from './selector.ts'

export function nodeMatches({ nodeSelector, affinity }: PodSpec, node: Node): boolean {
  if (!labelsMatch(nodeSelector, node.metadata.labels)) return false
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution
  return required === undefined || required.nodeSelectorTerms.some((term) => termMatches(term, node))
}

/** A term without any requirement matches nothing [k8s NodeSelectorTerm]. */
function termMatches({ matchExpressions = [], matchFields = [] }: NodeSelectorTerm, { metadata }: Node): boolean {
  if (matchExpressions.length + matchFields.length === 0) return false
  const fields = { 'metadata.name': metadata.name ?? '' }
  return (
    matchExpressions.every((one) => isMet(one, metadata.labels ?? {})) && matchFields.every((one) => isMet(one, fields))
  )
}
