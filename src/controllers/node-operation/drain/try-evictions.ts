/** Asks an API server for evictions on trial: a few at a time, each once, and no more when it has no answer. */
import type { EvictionAnswer, PodRef } from '../../../core/drain/model.ts'
import type { TrialAnswers } from '../../../core/drain/trial.ts'
import type { KubeClient } from '../../../kube/client.ts'
import type { Clock } from '../../../kube/clock.ts'
import { tryEviction } from './evict.ts'

const PARALLEL = 4
/** Nobody waits longer for a preview: webhooks may take their time. */
const LONGEST_MS = 10_000

/** By UID; pods that are missing were not asked for. */
export async function tryEvictions(
  { client, clock }: { readonly client: KubeClient; readonly clock: Pick<Clock, 'monotonic'> },
  pods: readonly PodRef[],
): Promise<TrialAnswers> {
  const answers = new Map<string, EvictionAnswer>()
  const left = [...pods]
  const until = clock.monotonic() + LONGEST_MS
  const ask = async (): Promise<void> => {
    for (let pod = left.shift(); pod !== undefined; pod = left.shift()) {
      const answer = await tryEviction(client, pod)
      answers.set(pod.uid, answer)
      // A server that protects itself, or does not answer, is left in peace.
      const enough = answer.answer === 'Throttled' || answer.answer === 'NoAnswer' || clock.monotonic() >= until
      if (enough) left.length = 0
    }
  }
  await Promise.all(Array.from({ length: Math.min(PARALLEL, left.length) }, ask))
  return answers
}
