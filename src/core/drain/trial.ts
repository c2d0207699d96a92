/**
 * Evictions on trial: the API server is asked to go through an eviction without carrying it out, with budgets and admission
 * webhooks and all. Which pods are worth a question, and what its answers add to what the objects say.
 */
import { someOf } from './blockers.ts'
import type { Answer, EvictionAnswer, PodRef } from './model.ts'
import { controllerOf, podName, refOfPod } from './pod.ts'
import type { Finding, FindingKind, NodePreview } from './preview.ts'
import type { RoomPod } from './room.ts'

/** Most questions for one preview. */
export const MOST_TRIALS = 50

/** By UID of the pod. */
export type TrialAnswers = ReadonlyMap<string, EvictionAnswer>

/**
 * One pod of each workload first, in the order of the nodes, as its budgets and webhooks are mostly those of the others too; then
 * the rest.
 */
export function podsToTry(previews: readonly NodePreview[], most = MOST_TRIALS): readonly PodRef[] {
  const first: RoomPod[] = []
  const rest: RoomPod[] = []
  const seen = new Set<string>()
  for (const pod of previews.flatMap(({ evicts }) => evicts)) {
    const workload = controllerOf(pod)?.uid ?? podName(pod)
    if (seen.has(workload)) rest.push(pod)
    else first.push(pod)
    seen.add(workload)
  }
  return [...first, ...rest].slice(0, most).map(refOfPod)
}

/** What an answer says that a look at the objects may not have said. Answers that are missing here say nothing of the pod. */
const KINDS: Partial<Readonly<Record<Answer, FindingKind>>> = {
  Budget: 'ClosedBudget',
  Denied: 'Denied',
  Forbidden: 'Forbidden',
  ServerError: 'ServerError',
}

/** Known by the objects already: the answer adds nothing. */
const SAME: Partial<Readonly<Record<FindingKind, readonly FindingKind[]>>> = {
  ClosedBudget: ['ClosedBudget', 'ZeroBudget'],
  ServerError: ['SeveralBudgets'],
}

/** What the answers add, node by node. */
export function trialFindings(previews: readonly NodePreview[], answers: TrialAnswers): readonly Finding[] {
  return previews.flatMap((preview) => {
    const asked = preview.evicts.flatMap((pod) => {
      const answer = answers.get(pod.metadata.uid ?? '')
      const kind = answer === undefined ? undefined : KINDS[answer.answer]
      return answer === undefined || kind === undefined || isKnown(preview, podName(pod), kind)
        ? []
        : [{ pod: podName(pod), kind, message: answer.message }]
    })
    return [...Map.groupBy(asked, ({ kind }) => kind)].map(([kind, group]): Finding => {
      const pods = group.map(({ pod }) => pod).toSorted()
      const message = `${someOf(pods)}: tried without carrying it out: ${group[0]?.message ?? ''}`
      return { kind, node: preview.node, pods, budgets: [], blocks: kind === 'Forbidden', message }
    })
  })
}

const isKnown = ({ findings }: NodePreview, pod: string, kind: FindingKind): boolean =>
  findings.some((finding) => (SAME[kind] ?? []).includes(finding.kind) && finding.pods.includes(pod))

/** How much was tried, in a sentence. */
export function describeTrials(previews: readonly NodePreview[], answers: TrialAnswers): string {
  const evicts = previews.flatMap((preview) => preview.evicts)
  const told = evicts.flatMap(({ metadata }) => answers.get(metadata.uid ?? '') ?? [])
  const count = (...of: readonly Answer[]): number => told.filter(({ answer }) => of.includes(answer)).length
  const refused = count('Budget', 'Denied', 'Forbidden', 'ServerError')
  const silent = count('NoAnswer', 'Throttled')
  const unanswered = silent === 0 ? '' : `, ${silent} had no answer, and no more were tried`
  return `${told.length} of ${evicts.length} evictions were tried on the API server without carrying them out: ${refused} would be refused now${unanswered}`
}
