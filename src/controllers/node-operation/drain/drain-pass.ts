/**
 * One pass of the drain of one node: look, plan, ask. Nothing is awaited; what was answered is remembered until the next pass.
 */
import type { KubeObject } from '../../../api/resource.ts'
import { keepOnly, recordAnswer } from '../../../core/drain/memory.ts'
import type {
  DisruptionBudget,
  DrainMemory,
  DrainObserved,
  DrainPlan,
  DrainPolicy,
  EvictionAnswer,
} from '../../../core/drain/model.ts'
import { planDrain } from '../../../core/drain/plan-drain.ts'
import type { RoomPod } from '../../../core/drain/room.ts'
import type { KubeClient } from '../../../kube/client.ts'
import { isKubeError } from '../../../kube/errors.ts'
import { objectKey } from '../../../kube/object-key.ts'
import { endPod } from './evict.ts'
import { DAEMON_SETS, DISRUPTION_BUDGETS, DRAIN_PODS, PERSISTENT_VOLUMES, VOLUME_ATTACHMENTS } from './kinds.ts'

/** What a drain sees of its cluster; from caches, or fresh. */
export interface DrainView {
  readonly pods: readonly RoomPod[]
  readonly budgets: readonly DisruptionBudget[]
  readonly daemonSets: ReadonlySet<string> | undefined
  readonly attachedClaims: ReadonlySet<string>
}

export interface DrainTask {
  readonly node: DrainObserved['node']
  readonly policy: DrainPolicy
  readonly startedAt: number
  readonly operationDeadline: number
  readonly memory: DrainMemory
}

export const EMPTY_MEMORY: DrainMemory = new Map()
/** Evictions of one node that are on the wire at once. */
const PARALLEL = 10

export function planTask(task: DrainTask, view: DrainView, now: number): DrainPlan {
  return planDrain({ ...task, ...view }, now)
}

export interface PassDeps {
  readonly client: KubeClient
  readonly now: () => number
  /** In [0, 1). */
  readonly random: () => number
  /** Hears every answer. */
  readonly answered?: (answer: EvictionAnswer['answer']) => void
}

/** Answers the plan and the memory after its requests. */
export async function drainPass(
  deps: PassDeps,
  task: DrainTask,
  view: DrainView,
): Promise<{ readonly plan: DrainPlan; readonly memory: DrainMemory }> {
  const plan = planTask(task, view, deps.now())
  let memory = keepOnly(task.memory, view.pods)
  const left = [...plan.actions]
  const ask = async (): Promise<void> => {
    for (let action = left.shift(); action !== undefined; action = left.shift()) {
      const answer = await endPod(deps.client, action)
      deps.answered?.(answer.answer)
      const context = { now: deps.now(), policy: task.policy, jitter: deps.random() }
      memory = recordAnswer(memory, action.pod.uid, answer, context)
    }
  }
  await Promise.all(Array.from({ length: Math.min(PARALLEL, left.length) }, ask))
  return { plan, memory }
}

/** Everything read anew: before a node goes down, and where there are no caches. @throws KubeError */
export async function readDrainView(client: KubeClient, node: string): Promise<DrainView> {
  return await createDrainReader(client)(node)
}

/** Reads node after node anew, and what they share once. */
export function createDrainReader(client: KubeClient): (node: string) => Promise<DrainView> {
  let shared: Promise<Pick<DrainView, 'budgets' | 'daemonSets'>> | undefined
  const readShared = async () => {
    const [budgets, daemonSets] = await Promise.all([client.list(DISRUPTION_BUDGETS), readDaemonSets(client)])
    return { budgets: budgets.items, daemonSets }
  }
  return async (node) => {
    shared ??= readShared()
    const [pods, attachedClaims, common] = await Promise.all([
      client.list(DRAIN_PODS, { fieldSelector: `spec.nodeName=${node}` }),
      readAttachedClaims(client, node),
      shared,
    ])
    return { pods: pods.items, attachedClaims, ...common }
  }
}

/** Undefined when they may not be read: their pods then block a drain rather than being taken for orphans. */
async function readDaemonSets(client: KubeClient): Promise<ReadonlySet<string> | undefined> {
  try {
    return namesOf((await client.list(DAEMON_SETS)).items)
  } catch (error) {
    if (isKubeError(error, 'Forbidden')) return undefined
    throw error
  }
}

export const namesOf = (objects: readonly KubeObject[]): ReadonlySet<string> => new Set(objects.map(objectKey))

/** `namespace/claim` of every volume that is attached to the node. A cluster without the kind has none. */
export async function readAttachedClaims(client: KubeClient, node: string): Promise<ReadonlySet<string>> {
  const attachments = await listIfServed(client.list(VOLUME_ATTACHMENTS))
  const names = attachments
    .filter(({ spec }) => spec?.nodeName === node)
    .map(({ spec }) => spec?.source?.persistentVolumeName)
  if (names.length === 0) return new Set()
  const volumes = await listIfServed(client.list(PERSISTENT_VOLUMES))
  const attached = volumes.filter(({ metadata }) => names.includes(metadata.name))
  return new Set(
    attached.flatMap(({ spec }) =>
      spec?.claimRef === undefined ? [] : [`${spec.claimRef.namespace}/${spec.claimRef.name}`],
    ),
  )
}

async function listIfServed<T>(listing: Promise<{ readonly items: readonly T[] }>): Promise<readonly T[]> {
  try {
    return (await listing).items
  } catch (error) {
    if (isKubeError(error, 'NotFound')) return []
    throw error
  }
}
