/** Asks an API server for evictions on trial: a few at a time, each once, and no more when it has no answer. */
import type { EvictionAnswer, PodRef } from '../../../core/drain/model.ts'
import type { TrialAnswers } from '../../../core/drain/trial.ts'
import type { KubeClient } from '../../../kube/client.ts'
import type { Clock } from '../../../kube/clock.ts'
import { tryEviction } from './evict.ts'

const PARALLEL = 4
/** Nobody waits longer for a preview: webhooks may take their time. */
const LONGEST_MS = 10_000

/** Who looks again so soon is told what was found before: plans are asked for by many, and each would cost the API server dozens. */
const KEPT_MS = 2_000

export type TryEvictions = (client: KubeClient, pods: readonly PodRef[]) => Promise<TrialAnswers>

/** One trial at a time for each API server, shared by all who ask meanwhile and shortly after. */
export function createSharedTrials(clock: Pick<Clock, 'monotonic'>): TryEvictions {
  const made = new WeakMap<KubeClient, { readonly at: number; readonly answers: Promise<TrialAnswers> }>()
  return async (client, pods) => {
    const before = made.get(client)
    if (before !== undefined && clock.monotonic() - before.at < KEPT_MS) return await before.answers
    const answers = tryEvictions({ client, clock }, pods)
    made.set(client, { at: clock.monotonic(), answers })
    return await answers
  }
}

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
