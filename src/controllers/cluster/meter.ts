/**
 * Measures standing clusters: what their status says, out of the caches; how long nodes stay in each step, out of the plans, as the
 * status is shown at a pace; and what drains and health checks tell.
 */
import type { Registry } from 'prom-client'
import { parseTimestamp } from '../../api/timestamp.ts'
import type { ManagedCluster } from '../../api/v1alpha1/managed-cluster.ts'
import type { NodeOperation, NodeOperationStatus } from '../../api/v1alpha1/node-operation.ts'
import { NODE_STEPS, type NodeStep } from '../../api/v1alpha1/node-operation.ts'
import { CLUSTER_STATES, OPERATION_PHASES } from '../../api/v1alpha1/node-phases.ts'
import type { EvictionAnswer } from '../../core/drain/model.ts'
import { groupBudget } from '../../core/nodes/budget.ts'
import { hasEnded } from '../../core/nodes/operation-status.ts'
import type { Clock } from '../../kube/clock.ts'
import type { Informer } from '../../kube/informer.ts'
import type { Log } from '../../kube/log.ts'
import { createNodeMetrics, type NodeMetrics } from '../node-metrics.ts'
import { BY_CLUSTER, type NodeCaches } from './deps.ts'
import type { CheckResult } from './health/monitor.ts'
import { createStopwatches, type Stopwatches } from './stopwatches.ts'

export interface NodeMeter {
  /** Measures what the caches tell, until the answer is called: by who leads. */
  follow(caches: NodeCaches): () => void
  /** A pass has planned this. */
  planned(operation: NodeOperation, status: NodeOperationStatus): void
  /** By the name of the ManagedCluster. */
  evicted(cluster: string, answer: EvictionAnswer['answer']): void
  checked(result: CheckResult): void
}

export interface NodeMeterOptions {
  readonly registry: Registry
  readonly clock: Clock
  readonly log: Log
}

export function createNodeMeter(options: NodeMeterOptions): NodeMeter {
  return new Meter(options)
}

class Meter implements NodeMeter {
  readonly #clock: Clock
  readonly #log: Log
  readonly #metrics: NodeMetrics
  readonly #steps: Stopwatches<NodeStep>
  readonly #batches: Stopwatches<string>
  /** Since when runs are frozen and not counted, by cluster. Monotonic. */
  readonly #frozen = new Map<string, number>()

  constructor({ registry, clock, log }: NodeMeterOptions) {
    this.#clock = clock
    this.#log = log
    this.#metrics = createNodeMetrics(registry, () => this.#countFrozen())
    this.#steps = createStopwatches(clock)
    this.#batches = createStopwatches(clock)
  }

  follow(caches: NodeCaches): () => void {
    const stops = [
      caches.clusters.on(({ type, object, old }) => {
        if (type === 'DELETED') this.#forget(object)
        else this.#cluster(object, caches.operations)
        if (type === 'MODIFIED' && old !== undefined) this.#dropGone(old, object)
      }),
      caches.operations.on(({ type, object, old }) => {
        this.#operations(object, caches.operations)
        if (type === 'MODIFIED' && old !== undefined && !hasEnded(old) && hasEnded(object)) this.#ended(object)
        if (type === 'DELETED') this.#leave(object)
      }),
    ]
    return () => {
      for (const stop of stops) stop()
      this.#countFrozen()
      this.#frozen.clear()
      this.#steps.clear()
      this.#batches.clear()
      this.#metrics.clearGauges()
    }
  }

  planned(operation: NodeOperation, status: NodeOperationStatus): void {
    const { uid = '' } = operation.metadata
    const open = hasEnded({ ...operation, status }) ? [] : (status.nodes ?? [])
    const present = open.map(({ name, step, since }) => ({ name, is: step, since: parseTimestamp(since) }))
    for (const { is, next, seconds } of this.#steps.show(uid, present)) this.#stepOver(is, next, seconds)
    const cluster = operation.spec.clusterRef.name
    for (const step of NODE_STEPS) {
      this.#metrics.steps.set({ cluster, step }, open.filter((node) => node.step === step).length)
    }
  }

  evicted(cluster: string, answer: EvictionAnswer['answer']): void {
    this.#metrics.evictions.inc({ cluster, result: EVICTIONS[answer] ?? 'failed' })
  }

  checked({ cluster, check, type, passed, seconds }: CheckResult): void {
    this.#metrics.checkPassing.set({ cluster, check }, passed ? 1 : 0)
    this.#metrics.checks.inc({ type, result: passed ? 'passed' : 'failed' })
    this.#metrics.checkDuration.observe({ type }, seconds)
  }

  #cluster(object: ManagedCluster, operations: Informer<NodeOperation>): void {
    const { name: cluster = '', namespace } = object.metadata
    const { state = 'Created', operation: holder } = object.status ?? {}
    for (const one of CLUSTER_STATES) this.#metrics.clusterState.set({ cluster, state: one }, one === state ? 1 : 0)
    this.#groups(object, holder && operations.get(namespace, holder.name)?.spec.maxUnavailable)
    this.#batch(object)
  }

  #groups(
    { metadata: { name: cluster = '' }, spec, status }: ManagedCluster,
    asked: number | string | undefined,
  ): void {
    const groups = status?.groups ?? []
    const workers = groups.reduce((sum, { type, nodes }) => sum + (type === 'worker' ? nodes : 0), 0)
    for (const { name: group, nodes, outOfDate, unavailable } of groups) {
      this.#metrics.nodes.set({ cluster, group }, nodes)
      this.#metrics.outOfDate.set({ cluster, group }, outOfDate)
      this.#metrics.unavailable.set({ cluster, group }, unavailable)
      const of = spec.nodeGroups.find(({ name }) => name === group)
      this.#metrics.budget.set({ cluster, group }, groupBudget(of, { asked, members: nodes, workers }))
    }
  }

  /** Groups and checks that the cluster does not have any more. */
  #dropGone(old: ManagedCluster, { metadata: { name: cluster = '' }, spec, status }: ManagedCluster): void {
    const groups = new Set(status?.groups?.map(({ name }) => name))
    const checks = new Set(spec.healthChecks.map(({ name }) => name))
    const { nodes, outOfDate, unavailable, budget, checkPassing } = this.#metrics
    for (const { name: group } of old.status?.groups ?? []) {
      if (groups.has(group)) continue
      for (const metric of [nodes, outOfDate, unavailable, budget]) metric.remove({ cluster, group })
    }
    for (const { name: check } of old.spec.healthChecks) if (!checks.has(check)) checkPassing.remove({ cluster, check })
  }

  /** It is over when it is let go of, and when the run has failed in it. */
  #batch({ metadata: { uid = '' }, status }: ManagedCluster): void {
    const { batch, outcome: end } = status?.operation ?? {}
    const open = batch === undefined || end !== undefined ? [] : [batch.startedAt]
    const present = open.map((startedAt) => ({ name: 'batch', is: startedAt, since: parseTimestamp(startedAt) }))
    const outcome = end?.phase === 'Failed' ? 'failed' : 'done'
    for (const { seconds } of this.#batches.show(uid, present))
      this.#metrics.batchDuration.observe({ outcome }, seconds)
  }

  #operations(object: NodeOperation, operations: Informer<NodeOperation>): void {
    const cluster = object.spec.clusterRef.name
    const phases = operations.byIndex(BY_CLUSTER, cluster).map(({ status }) => status?.phase ?? 'Pending')
    for (const phase of OPERATION_PHASES) {
      this.#metrics.operations.set({ cluster, phase }, phases.filter((one) => one === phase).length)
    }
    this.#countFrozen()
    if (!phases.includes('Frozen')) this.#frozen.delete(cluster)
    else if (!this.#frozen.has(cluster)) this.#frozen.set(cluster, this.#clock.monotonic())
  }

  #ended({ spec, status }: NodeOperation): void {
    this.#metrics.ended.inc({ cluster: spec.clusterRef.name, type: spec.type, phase: status?.phase ?? '' })
  }

  #leave(operation: NodeOperation): void {
    this.planned(operation, { phase: 'Cancelled' })
  }

  #stepOver(step: NodeStep, next: NodeStep | undefined, seconds: number): void {
    if (step === 'Failed' || step === 'Skipped') return
    this.#metrics.stepDuration.observe({ step }, seconds)
    if (step === 'Draining') this.#metrics.drainDuration.observe({ outcome: DRAINS[next ?? ''] ?? 'drained' }, seconds)
  }

  #countFrozen(): void {
    const now = this.#clock.monotonic()
    for (const [cluster, since] of this.#frozen) {
      this.#metrics.frozenSeconds.inc({ cluster }, (now - since) / 1000)
      this.#frozen.set(cluster, now)
    }
  }

  #forget({ metadata: { name = '', uid = '' } }: ManagedCluster): void {
    this.#batches.show(uid, [])
    this.#frozen.delete(name)
    this.#metrics
      .forgetCluster(name)
      .catch((error: unknown) => this.#log.error({ err: error }, 'series of a deleted cluster stay'))
  }
}

const EVICTIONS: Partial<Record<EvictionAnswer['answer'], string>> = {
  Accepted: 'accepted',
  Gone: 'accepted',
  OtherPod: 'accepted',
  Budget: 'refused',
  Throttled: 'refused',
}

const DRAINS: Readonly<Record<string, string>> = { Failed: 'failed', Skipped: 'skipped' }
