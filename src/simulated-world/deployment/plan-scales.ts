/**
 * How many pods each ReplicaSet of a Deployment is to have.
 *
 *   paused          -> the active one gets what the Deployment wants
 *   Recreate        -> old ones to 0; the present one only when no pod of theirs is left
 *   RollingUpdate   -> the present one grows into the surge; then of the old ones first those pods go that are not ready
 *                      anyway, then available ones down to `desired - maxUnavailable`
 */
import type { Action, Note } from '../engine/plan.ts'
import { type Deployment, REPLICA_SETS, type ReplicaSet } from '../kinds.ts'
import { availableReplicas, desiredOf, limitsOf, specReplicas, sumOf } from './deployment-facts.ts'

export interface ScaleInput {
  readonly deployment: Deployment
  readonly current: ReplicaSet | undefined
  /** Oldest first. */
  readonly old: readonly ReplicaSet[]
  readonly oldPodsLeft: number
}

/** ReplicaSet to the number it is to have. */
type Scales = Map<ReplicaSet, number>

export function planScales(input: ScaleInput): { actions: Action[]; notes: Note[] } {
  const changes = [...wantedScales(input)].filter(([one, replicas]) => specReplicas(one) !== replicas)
  return { actions: changes.map(([one, replicas]) => scale(one, replicas)), notes: changes.map(noteOf) }
}

function wantedScales(input: ScaleInput): Scales {
  if (input.deployment.spec.paused) return pausedScales(input)
  return limitsOf(input.deployment).type === 'Recreate' ? recreateScales(input) : rollingScales(input)
}

function pausedScales({ deployment, current, old }: ScaleInput): Scales {
  const active = [...old, ...(current === undefined ? [] : [current])].filter((one) => specReplicas(one) > 0)
  const only = active.length === 1 ? active[0] : active.length === 0 ? current : undefined
  return new Map(only === undefined ? [] : [[only, desiredOf(deployment)]])
}

function recreateScales({ deployment, current, old, oldPodsLeft }: ScaleInput): Scales {
  const scales: Scales = new Map(old.map((one) => [one, 0]))
  const ended = oldPodsLeft === 0 && sumOf(old, specReplicas) === 0
  if (current !== undefined && ended) scales.set(current, desiredOf(deployment))
  return scales
}

function rollingScales({ deployment, current, old }: ScaleInput): Scales {
  const scales: Scales = new Map()
  if (current === undefined) return scales
  const desired = desiredOf(deployment)
  const { maxSurge, maxUnavailable } = limitsOf(deployment)
  const total = sumOf(old, specReplicas) + specReplicas(current)
  const grown =
    specReplicas(current) + Math.max(0, Math.min(desired + maxSurge - total, desired - specReplicas(current)))
  scales.set(current, specReplicas(current) > desired ? desired : grown)
  // As the real one: one step at a time, so that what is removed is judged by what was observed.
  if (scales.get(current) !== specReplicas(current)) return scales
  shrinkOld({ scales, old, current, minAvailable: desired - maxUnavailable, total })
  return scales
}

interface Shrink {
  readonly scales: Scales
  readonly old: readonly ReplicaSet[]
  readonly current: ReplicaSet
  readonly minAvailable: number
  readonly total: number
}

function shrinkOld({ scales, old, current, minAvailable, total }: Shrink): void {
  const notYetAvailable = specReplicas(current) - availableReplicas(current)
  let mayGo = total - minAvailable - notYetAvailable
  for (const one of old) {
    const unhealthy = specReplicas(one) - availableReplicas(one)
    const going = Math.max(0, Math.min(unhealthy, mayGo))
    scales.set(one, specReplicas(one) - going)
    mayGo -= going
  }
  let spare = sumOf([...old, current], availableReplicas) - minAvailable
  for (const one of old) {
    const replicas = scales.get(one) ?? 0
    const going = Math.max(0, Math.min(replicas, spare, availableReplicas(one)))
    scales.set(one, replicas - going)
    spare -= going
  }
}

function scale(object: ReplicaSet, replicas: number): Action {
  return { kind: 'Patch', type: REPLICA_SETS, object, spec: { ...object.spec, replicas } }
}

function noteOf([one, replicas]: [ReplicaSet, number]): Note {
  const from = specReplicas(one)
  const direction = replicas > from ? 'up' : 'down'
  const message = `Scaled ${direction} replica set ${one.metadata.name} from ${from} to ${replicas}`
  return { type: 'Normal', reason: 'ScalingReplicaSet', message }
}
