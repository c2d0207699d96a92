/**
 * `POST pods/NAME/eviction`: a deletion that PodDisruptionBudgets may refuse. A budget is honoured as its status says;
 * granting an eviction counts it down at once, so that two callers cannot use the same allowance.
 */
import { ApiError, badRequest } from '../errors.ts'
import { formatTime } from '../registry/core.ts'
import { checkPreconditions, deleteObject } from '../registry/delete-object.ts'
import { storageName } from '../registry/kind-traits.ts'
import type { StoredObject } from '../registry/resource-definition.ts'
import { isObject, type JsonObject } from '../schema/json.ts'
import { labelSelectorMatches, type ObjectLabelSelector } from '../selectors/match-label-selector.ts'
import type { Entry } from '../store/entry.ts'
import { type Answer, type ApiRequest, isDryRun, jsonAnswer } from './api-request.ts'
import { currentEntry } from './current-entry.ts'
import { deleteOptionsOf } from './delete-options.ts'
import { readObject } from './read-body.ts'

const BUDGETS = 'poddisruptionbudgets.policy'

export async function handleEviction(request: ApiRequest): Promise<Answer> {
  const { core, definition, http, query } = request
  const body = await readObject(http)
  const meta = isObject(body) && isObject(body['metadata']) ? body['metadata'] : {}
  if (meta['name'] !== request.name) throw badRequest('name in URL does not match name in Eviction object')
  const given = isObject(body) && isObject(body['deleteOptions']) ? deleteOptionsOf(body['deleteOptions']) : {}
  const options = isDryRun(query, 'CreateOptions') ? { ...given, dryRun: true } : given
  const current = currentEntry(request)
  if (needsBudget(current.object)) spendBudget(request, current, options.dryRun === true)
  checkPreconditions(definition, current.object.metadata, options)
  const { resourceVersion: _checked, ...rest } = options
  deleteObject(core, definition, options.dryRun === true ? current : markEvicted(request, current), rest)
  return jsonAnswer(201, { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 })
}

/** Tells whoever watches the pod why it goes. */
function markEvicted({ core, definition }: ApiRequest, current: Entry): Entry {
  const pod = current.copy()
  if (pod.metadata.deletionTimestamp !== undefined) return current
  const status = isObject(pod['status']) ? pod['status'] : {}
  const conditions: unknown[] = Array.isArray(status['conditions']) ? status['conditions'] : []
  const others = conditions.filter((one) => !isObject(one) || one['type'] !== 'DisruptionTarget')
  const target = {
    type: 'DisruptionTarget',
    status: 'True',
    lastProbeTime: null,
    lastTransitionTime: formatTime(core.now()),
    reason: 'EvictionByEvictionAPI',
    message: 'Eviction API: evicting',
  }
  pod['status'] = { ...status, conditions: [...others, target] }
  return core.store.put(storageName(definition), current.key, pod, current)
}

/** A pod that does not run, or is going already, disrupts nothing `[k8s eviction]`. */
function needsBudget(pod: StoredObject): boolean {
  const phase = isObject(pod['status']) ? pod['status']['phase'] : undefined
  const idle = phase === 'Succeeded' || phase === 'Failed' || phase === 'Pending' || phase === undefined
  return !idle && pod.metadata.deletionTimestamp === undefined
}

/** @throws ApiError 429 (no disruption allowed now), 500 (more than one budget) */
function spendBudget({ core, namespace = '', name = '' }: ApiRequest, pod: Entry, dryRun: boolean): void {
  const budgets = [...core.store.collection(BUDGETS).entries(`${namespace}/`)].filter((budget) =>
    covers(budget.object, pod.object),
  )
  const [budget] = budgets
  if (budget === undefined) return
  if (budgets.length > 1) {
    throw new ApiError(
      500,
      'InternalError',
      'Internal error occurred: This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
    )
  }
  const object = budget.copy()
  const status: JsonObject = isObject(object['status']) ? object['status'] : {}
  if (!isReady(pod.object) && sparesUnready(object, status)) return
  const allowed = status['disruptionsAllowed']
  if (isBehind(object, status) || typeof allowed !== 'number' || allowed <= 0) throw budgetExhausted(object, status)
  if (dryRun) return
  const disrupted = isObject(status['disruptedPods']) ? status['disruptedPods'] : {}
  object['status'] = {
    ...status,
    ...(allowed === 1 ? { conditions: exhaustedConditions(object, status, formatTime(core.now())) } : {}),
    disruptionsAllowed: allowed - 1,
    disruptedPods: { ...disrupted, [name]: formatTime(core.now()) },
  }
  core.store.put(BUDGETS, budget.key, object, budget)
}

function isReady(pod: StoredObject): boolean {
  const conditions = isObject(pod['status']) ? pod['status']['conditions'] : undefined
  if (!Array.isArray(conditions)) return false
  return conditions.some((one) => isObject(one) && one['type'] === 'Ready' && one['status'] === 'True')
}

/**
 * A pod that is not Ready takes nothing from a budget that is healthy without it, or that says so
 * `[k8s unhealthyPodEvictionPolicy]`.
 */
function sparesUnready(budget: StoredObject, status: JsonObject): boolean {
  const policy = isObject(budget['spec']) ? budget['spec']['unhealthyPodEvictionPolicy'] : undefined
  if (policy === 'AlwaysAllow') return true
  const desired = Number(status['desiredHealthy'] ?? 0)
  return desired > 0 && Number(status['currentHealthy'] ?? 0) >= desired
}

/** The status is of an older spec. */
function isBehind({ metadata }: StoredObject, status: JsonObject): boolean {
  return Number(status['observedGeneration'] ?? 0) < (metadata.generation ?? 0)
}

/** The last disruption was spent. */
function exhaustedConditions({ metadata }: StoredObject, status: JsonObject, time: string): unknown[] {
  const conditions: unknown[] = Array.isArray(status['conditions']) ? status['conditions'] : []
  const others = conditions.filter((one) => !isObject(one) || one['type'] !== 'DisruptionAllowed')
  const [type, reason] = ['DisruptionAllowed', 'InsufficientPods']
  const observedGeneration = metadata.generation
  return [...others, { type, status: 'False', observedGeneration, lastTransitionTime: time, reason, message: '' }]
}

function covers(budget: StoredObject, pod: StoredObject): boolean {
  const selector = isObject(budget['spec']) ? budget['spec']['selector'] : undefined
  return isObject(selector) && labelSelectorMatches(selector as ObjectLabelSelector, pod.metadata.labels ?? {})
}

function budgetExhausted(budget: StoredObject, status: JsonObject): ApiError {
  const behind = isBehind(budget, status)
  return new ApiError(429, 'TooManyRequests', "Cannot evict pod as it would violate the pod's disruption budget.", {
    details: {
      causes: [
        {
          reason: 'DisruptionBudget',
          message: `The disruption budget ${budget.metadata.name} ${refusal(status, behind)}`,
        },
      ],
      ...(behind ? { retryAfterSeconds: 10 } : {}),
    },
  })
}

/** The numbers are told only by a budget that has more to spare than it allows. */
function refusal(status: JsonObject, behind: boolean): string {
  if (behind) return 'is still being processed by the server.'
  const needed = Number(status['desiredHealthy'] ?? 0)
  const healthy = Number(status['currentHealthy'] ?? 0)
  if (healthy > needed) return 'does not allow evicting pods currently'
  return `needs ${needed} healthy pods and has ${healthy} currently`
}
