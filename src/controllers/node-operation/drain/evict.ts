/**
 * One request for the end of one pod, over the eviction API or, past all budgets, by deletion. Both carry the UID: a namesake on
 * another node is never meant. Every answer becomes a value; the planner decides what it means.
 */

import type { DrainAction, EvictionAnswer, PodRef } from '../../../core/drain/model.ts'
import { field } from '../../../core/optional-field.ts'
import { assertNever } from '../../../core/plan.ts'
import type { KubeClient } from '../../../kube/client.ts'
import { isKubeError, type KubeError } from '../../../kube/errors.ts'
import { DRAIN_PODS } from './kinds.ts'

export async function endPod(client: KubeClient, action: DrainAction): Promise<EvictionAnswer> {
  const { pod } = action
  try {
    if (action.kind === 'Evict') await evict(client, pod, field('gracePeriodSeconds', action.gracePeriodSeconds))
    else await client.delete(DRAIN_PODS, pod, { uid: pod.uid, gracePeriodSeconds: action.gracePeriodSeconds })
    return { answer: 'Accepted', message: 'accepted' }
  } catch (error) {
    if (!isKubeError(error)) throw error
    const told = answerOf(error)
    return isUnsure(told) ? await lookedAt(client, pod, told) : told
  }
}

/** Asks for the eviction, through budgets and webhooks, without carrying it out. The answer is that of this one request. */
export async function tryEviction(client: KubeClient, pod: PodRef): Promise<EvictionAnswer> {
  try {
    await evict(client, pod, { dryRun: ['All'] })
    return { answer: 'Accepted', message: 'would be accepted' }
  } catch (error) {
    if (!isKubeError(error)) throw error
    return answerOf(error)
  }
}

interface EvictOptions {
  readonly gracePeriodSeconds?: number
  readonly dryRun?: readonly ['All']
}

async function evict(client: KubeClient, { namespace, name, uid }: PodRef, options: EvictOptions): Promise<void> {
  const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(name)}/eviction`
  const deleteOptions = { preconditions: { uid }, ...options }
  await client.raw('POST', path, {
    apiVersion: 'policy/v1',
    kind: 'Eviction',
    metadata: { namespace, name },
    deleteOptions,
  })
}

/** Whether it was carried out, or which of two causes it has, is told by a look at the pod. */
const isUnsure = ({ answer }: EvictionAnswer): boolean => answer === 'Conflict' || answer === 'NoAnswer'

async function lookedAt(
  client: KubeClient,
  { namespace, name, uid }: PodRef,
  told: EvictionAnswer,
): Promise<EvictionAnswer> {
  try {
    const { metadata } = await client.get(DRAIN_PODS, { namespace, name })
    if (metadata.uid !== uid) return { answer: 'OtherPod', message: `${namespace}/${name} is another pod now` }
    if (metadata.deletionTimestamp !== undefined) return { answer: 'Accepted', message: 'it is ending' }
    return told
  } catch (error) {
    if (isKubeError(error, 'NotFound')) return { answer: 'Gone', message: 'it is gone' }
    if (isKubeError(error)) return told
    throw error
  }
}

function answerOf(error: KubeError): EvictionAnswer {
  const { retryAfterSeconds } = error.details
  return {
    answer: kindOf(error),
    message: error.message,
    ...(retryAfterSeconds === undefined ? {} : { retryAfterMs: retryAfterSeconds * 1000 }),
  }
}

function kindOf(error: KubeError): EvictionAnswer['answer'] {
  const has = (cause: string) => (error.details.causes ?? []).some(({ reason }) => reason === cause)
  const { code } = error
  switch (code) {
    case 'NotFound':
    case 'Gone':
      return 'Gone'
    case 'Conflict':
    case 'AlreadyExists':
      return 'Conflict'
    case 'TooManyRequests':
      // Without a budget as its cause it is the API server that protects itself.
      return has('DisruptionBudget') ? 'Budget' : 'Throttled'
    case 'Forbidden':
      return forbidden(error, has('NamespaceTerminating'))
    case 'Unauthorized':
      return 'Forbidden'
    case 'Unreachable':
    case 'Timeout':
      return 'NoAnswer'
    case 'ServerError':
      return 'ServerError'
    // What we send is well-formed: such a refusal is that of an admission webhook, which may move the pod by itself.
    case 'BadRequest':
    case 'Invalid':
    case 'Unknown':
      return 'Denied'
    default:
      return assertNever(code)
  }
}

/** The API server gives its own refusals a reason; a webhook that answers 403 gives none by itself. */
function forbidden({ details }: KubeError, isTerminating: boolean): EvictionAnswer['answer'] {
  if (isTerminating) return 'NamespaceTerminating'
  return details.reason === 'Forbidden' ? 'Forbidden' : 'Denied'
}
