/** The columns of a Pod. The status is a summary in this order: reason of the pod, its init containers, its containers, deletion. */
import { at, isFields, listAt, numberAt, textAt } from '../../builtin/fields.ts'
import type { PrinterColumn, StoredObject } from '../../registry/resource-definition.ts'
import { AGE, column, hasCondition, NAME, NONE, text, wide } from '../column.ts'
import { age } from '../human-duration.ts'

export const podColumns: readonly PrinterColumn[] = [
  NAME,
  column('Ready', (pod) => {
    const { ready, total } = summarise(pod)
    return `${ready}/${total}`
  }),
  column('Status', (pod) => summarise(pod).status),
  column('Restarts', (pod, now) => {
    const { restarts, lastRestart } = summarise(pod)
    return restarts > 0 && lastRestart !== '' ? `${restarts} (${age(lastRestart, now)} ago)` : String(restarts)
  }),
  AGE,
  ...wide(
    column('IP', (pod) => textAt(listAt(pod, 'status.podIPs')[0], 'ip', NONE)),
    text('Node', 'spec.nodeName', NONE),
    text('Nominated Node', 'status.nominatedNodeName', NONE),
    column('Readiness Gates', readinessGates),
  ),
]

interface Summary {
  status: string
  ready: number
  total: number
  restarts: number
  /** RFC 3339, so the greatest text is the latest; empty: none. */
  lastRestart: string
}

function summarise(pod: StoredObject): Summary {
  const summary: Summary = {
    status: podReason(pod),
    ready: 0,
    total: containerCount(pod),
    restarts: 0,
    lastRestart: '',
  }
  const initializing = summariseInit(pod, summary)
  if (!initializing || hasCondition(pod, 'Initialized')) summariseMain(pod, summary)
  if (pod.metadata.deletionTimestamp !== undefined) summary.status = deletedStatus(pod, summary.status)
  return summary
}

function podReason(pod: StoredObject): string {
  const gated = listAt(pod, 'status.conditions').some(
    (condition) => textAt(condition, 'type') === 'PodScheduled' && textAt(condition, 'reason') === 'SchedulingGated',
  )
  return gated ? 'SchedulingGated' : textAt(pod, 'status.reason', textAt(pod, 'status.phase'))
}

function deletedStatus(pod: StoredObject, status: string): string {
  if (textAt(pod, 'status.reason') === 'NodeLost') return 'Unknown'
  return ['Succeeded', 'Failed'].includes(textAt(pod, 'status.phase')) ? status : 'Terminating'
}

function containerCount(pod: StoredObject): number {
  const sidecars = listAt(pod, 'spec.initContainers').filter(isSidecar)
  return listAt(pod, 'spec.containers').length + sidecars.length
}

/** An init container that keeps running beside the main ones. */
const isSidecar = (container: unknown): boolean => textAt(container, 'restartPolicy') === 'Always'

/** Answers whether an init container is still to finish; then the status says which. */
function summariseInit(pod: StoredObject, summary: Summary): boolean {
  const specs = listAt(pod, 'spec.initContainers')
  for (const [index, container] of listAt(pod, 'status.initContainerStatuses').entries()) {
    addRestarts(container, summary)
    if (at(container, 'state.terminated.exitCode') === 0) continue
    const spec = specs.find((candidate) => textAt(candidate, 'name') === textAt(container, 'name'))
    if (isSidecar(spec) && at(container, 'started') === true) {
      summary.ready += Number(at(container, 'ready') === true)
      continue
    }
    summary.status = `Init:${initReason(container, `${index}/${specs.length}`)}`
    return true
  }
  return false
}

function initReason(container: unknown, progress: string): string {
  if (isFields(at(container, 'state.terminated'))) return terminatedReason(container)
  const waiting = textAt(container, 'state.waiting.reason')
  return waiting !== '' && waiting !== 'PodInitializing' ? waiting : progress
}

function terminatedReason(container: unknown): string {
  const signal = numberAt(container, 'state.terminated.signal')
  const otherwise = signal !== 0 ? `Signal:${signal}` : `ExitCode:${numberAt(container, 'state.terminated.exitCode')}`
  return textAt(container, 'state.terminated.reason', otherwise)
}

/** Restarts of finished init containers no longer count once the main containers run; those of sidecars do. */
function summariseMain(pod: StoredObject, summary: Summary): void {
  const containers = listAt(pod, 'status.containerStatuses')
  summary.restarts = 0
  summary.lastRestart = ''
  for (const container of [...sidecarStatuses(pod), ...containers]) addRestarts(container, summary)
  // The first container that waits or has ended decides, so the last is looked at first.
  let error = ''
  for (const container of containers.toReversed()) {
    const reason = mainReason(container)
    summary.status = reason || summary.status
    if (numberAt(container, 'state.terminated.exitCode') !== 0) error = reason
  }
  const running = containers.filter((container) => mainReason(container) === '' && isRunning(container)).length
  summary.ready += running
  if (summary.status === 'Completed') summary.status = completedStatus(pod, running > 0, error)
}

function sidecarStatuses(pod: StoredObject): unknown[] {
  const sidecars = listAt(pod, 'spec.initContainers').filter(isSidecar)
  const names = new Set(sidecars.map((container) => textAt(container, 'name')))
  return listAt(pod, 'status.initContainerStatuses').filter((status) => names.has(textAt(status, 'name')))
}

function mainReason(container: unknown): string {
  const waiting = textAt(container, 'state.waiting.reason')
  if (waiting !== '') return waiting
  return isFields(at(container, 'state.terminated')) ? terminatedReason(container) : ''
}

const isRunning = (container: unknown): boolean =>
  at(container, 'ready') === true && isFields(at(container, 'state.running'))

/** A pod with one completed and one running container is still running. */
function completedStatus(pod: StoredObject, running: boolean, error: string): string {
  if (running && hasCondition(pod, 'Ready')) return 'Running'
  if (error !== '') return error
  return running ? 'NotReady' : 'Completed'
}

function addRestarts(container: unknown, summary: Summary): void {
  summary.restarts += numberAt(container, 'restartCount')
  const finished = textAt(container, 'lastState.terminated.finishedAt')
  if (finished > summary.lastRestart) summary.lastRestart = finished
}

function readinessGates(pod: StoredObject): string {
  const gates = listAt(pod, 'spec.readinessGates')
  if (gates.length === 0) return NONE
  return `${gates.filter((gate) => hasCondition(pod, textAt(gate, 'conditionType'))).length}/${gates.length}`
}
