/**
 * A simulated machine and its kubelet, as far as the Node object goes:
 *
 *   (new) ----------------> running                 a boot ID, all of the status
 *   running --power off---> stopped                 nothing is written any more, the Lease runs out
 *   stopped --power on----> booting --boot delay--> running      a NEW boot ID, Ready only after the ready delay
 *
 * While it runs it renews its Lease, keeps its status, and keeps a mirror pod for each static pod.
 */

import { annotationOf, durationMs, NODE_ANNOTATIONS } from '../annotations.ts'
import { type Action, earliest, type Note, type Plan } from '../engine/plan.ts'
import type { Timings } from '../engine/timings.ts'
import { type CoordinationLease, LEASES, NODES, type Node, PODS, type Pod } from '../kinds.ts'
import { conditionOf, isTerminating } from '../objects/pods.ts'
import { renderMirrorPod, staticPodNames } from './mirror-pods.ts'
import { type Boot, renderLease, renderNodeStatus, renewedSpec } from './node-status.ts'

export interface ObservedMachine {
  readonly node: Node
  readonly lease: CoordinationLease | undefined
  /** Pods bound to it. */
  readonly pods: readonly Pod[]
  /** For a boot in this pass. */
  readonly freshBootId: string
  readonly timings: Timings
}

export const MACHINE_STATES = { running: 'running', stopped: 'stopped', booting: 'booting' } as const
export type MachineState = keyof typeof MACHINE_STATES

/** Undefined: a Node that the simulation has not touched yet. */
export function machineOf(node: Node): { readonly state: MachineState; readonly since: number } | undefined {
  const state = annotationOf(node, NODE_ANNOTATIONS.machine)
  const since = Date.parse(annotationOf(node, NODE_ANNOTATIONS.machineSince) ?? '')
  if (state === undefined || !Object.hasOwn(MACHINE_STATES, state)) return undefined
  return { state: state as MachineState, since: Number.isNaN(since) ? 0 : since }
}

export function isSimulated(node: Node): boolean {
  return annotationOf(node, NODE_ANNOTATIONS.kubelet) === 'simulated'
}

/** Its kubelet runs pods. */
export function isWorking(node: Node): boolean {
  const ready = conditionOf(node.status?.conditions, 'Ready')?.status === 'True'
  return isSimulated(node) && !isTerminating(node) && machineOf(node)?.state === 'running' && isPoweredOn(node) && ready
}

function isPoweredOn(node: Node): boolean {
  return annotationOf(node, NODE_ANNOTATIONS.power) !== 'off'
}

export function planNode(observed: ObservedMachine, now: number): Plan {
  const { node } = observed
  if (isTerminating(node)) return { actions: [], notes: [] }
  const machine = machineOf(node)
  if (!isPoweredOn(node)) {
    return { actions: machine?.state === 'stopped' ? [] : [setMachine(node, 'stopped', now)], notes: [] }
  }
  if (machine === undefined) return boot(observed, 'Starting', now)
  if (machine.state === 'running') return keepRunning(observed, machine.since, now)
  if (machine.state === 'stopped') return startBooting(observed, now)
  const left = machine.since + bootDelay(observed) - now
  return left > 0 ? { actions: [], notes: [], requeueAfterMs: left } : boot(observed, 'Rebooted', now)
}

function bootDelay({ node, timings }: ObservedMachine): number {
  return durationMs(annotationOf(node, NODE_ANNOTATIONS.bootDelay)) ?? timings.bootDelayMs
}

function startBooting(observed: ObservedMachine, now: number): Plan {
  const actions = [setMachine(observed.node, 'booting', now)]
  return { actions, notes: [], requeueAfterMs: bootDelay(observed) }
}

/** The boot ID first: a crash between the two writes makes it boot once more, never run under the old ID. */
function boot(observed: ObservedMachine, reason: string, now: number): Plan {
  const { node, freshBootId, timings } = observed
  const status = renderNodeStatus(node, { bootId: freshBootId, ready: readyAfterBoot(observed) }, now)
  const message =
    reason === 'Rebooted'
      ? `Node ${node.metadata.name} has been rebooted, boot id: ${freshBootId}`
      : 'Starting kubelet.'
  return {
    actions: [{ kind: 'PatchStatus', type: NODES, object: node, status }, setMachine(node, 'running', now)],
    notes: [{ type: reason === 'Rebooted' ? 'Warning' : 'Normal', reason, message }],
    requeueAfterMs: timings.nodeReadyDelayMs,
  }
}

function readyAfterBoot(observed: ObservedMachine): Boot['ready'] {
  return readyDelay(observed) === 0 ? readiness(observed) : 'starting'
}

function readyDelay({ node, timings }: ObservedMachine): number {
  return durationMs(annotationOf(node, NODE_ANNOTATIONS.readyDelay)) ?? timings.nodeReadyDelayMs
}

function readiness({ node }: ObservedMachine): Boot['ready'] {
  return annotationOf(node, NODE_ANNOTATIONS.neverReady) === 'true' ? 'never' : 'ready'
}

function keepRunning(observed: ObservedMachine, since: number, now: number): Plan {
  const { node, timings, freshBootId } = observed
  const left = since + readyDelay(observed) - now
  const bootId = node.status?.nodeInfo?.['bootID'] || freshBootId
  const ready = left > 0 ? 'starting' : readiness(observed)
  const status = renderNodeStatus(node, { bootId, ready }, now)
  const lease = renewLease(observed, now)
  return {
    actions: [
      ...lease.actions,
      { kind: 'PatchStatus', type: NODES, object: node, status },
      ...(ready === 'ready' ? missingMirrors(observed) : []),
    ],
    notes: readyNote(node, ready),
    requeueAfterMs: earliest(left > 0 ? left : undefined, lease.nextInMs, timings.leaseRenewMs),
  }
}

function readyNote(node: Node, ready: Boot['ready']): Note[] {
  const before = conditionOf(node.status?.conditions, 'Ready')?.status
  if (ready !== 'ready' || before === 'True') return []
  return [{ type: 'Normal', reason: 'NodeReady', message: `Node ${node.metadata.name} status is now: NodeReady` }]
}

function setMachine(node: Node, state: MachineState, now: number): Action {
  const annotations = {
    ...node.metadata.annotations,
    [NODE_ANNOTATIONS.machine]: state,
    [NODE_ANNOTATIONS.machineSince]: new Date(now).toISOString(),
  }
  return { kind: 'Patch', type: NODES, object: node, metadata: { annotations } }
}

function renewLease({ node, lease, timings }: ObservedMachine, now: number): { actions: Action[]; nextInMs: number } {
  if (lease === undefined) {
    return {
      actions: [{ kind: 'Create', type: LEASES, object: renderLease(node, now) }],
      nextInMs: timings.leaseRenewMs,
    }
  }
  const renewedAt = Date.parse(lease.spec?.renewTime ?? '') || 0
  const left = renewedAt + timings.leaseRenewMs - now
  // The clock went back, or the time is not ours: renew rather than wait for ever.
  if (left > 0 && renewedAt <= now) return { actions: [], nextInMs: left }
  const action: Action = { kind: 'Patch', type: LEASES, object: lease, spec: renewedSpec(lease, node, now) }
  return { actions: [action], nextInMs: timings.leaseRenewMs }
}

function missingMirrors({ node, pods }: ObservedMachine): Action[] {
  const present = new Set(pods.map(({ metadata }) => metadata.name))
  const mirrors = staticPodNames(node).map((name) => renderMirrorPod(node, name))
  const missing = mirrors.filter(({ metadata }) => !present.has(metadata.name))
  return missing.map((object) => ({ kind: 'Create', type: PODS, object }))
}
