/**
 * Carries out the health checks that a ManagedCluster names, and remembers what they found.
 *
 *   look     judges what a pass has gathered; at most once in a second
 *   try      asks somebody, in the background: a pass begins it when it is due, never waits for it, and sees the last result.
 *            Its time is limited; whatever it throws is unhealthy
 *   result   counts until it is old; none, or an old one, is unhealthy. Passes in a row begin anew when a run begins, when a
 *            batch is done (what was well before says nothing of what the batch has done), and when the check changes
 *
 * A result wakes the run that waits for it. Jobs are made while an operation changes nodes only.
 */
import { parseDuration } from '../../../api/duration.ts'
import type { ManagedCluster, NodeHealthCheck } from '../../../api/v1alpha1/managed-cluster.ts'
import type { HealthFacts } from '../../../core/nodes/model.ts'
import type { KubeClient } from '../../../kube/client.ts'
import type { Clock } from '../../../kube/clock.ts'
import type { Log } from '../../../kube/log.ts'
import { objectKey } from '../../../kube/object-key.ts'
import { createBeforeRuns } from './before-run.ts'
import { etcdQuorum, machinesRunning, nodesReady, pdbHeadroom } from './built-in.ts'
import { cel } from './cel.ts'
import type { Attempt, Look, Sight, Try, Wrong } from './check.ts'
import { controlPlane } from './control-plane.ts'
import { http } from './http.ts'
import { inTime } from './in-time.ts'
import { job } from './job.ts'
import { prometheus } from './prometheus.ts'
import { secretReader } from './secret.ts'
import { APART_MS, type CheckState, currentState, recordResult } from './state.ts'
import { workloads } from './workloads.ts'

type Type = NodeHealthCheck['type']

const LOOKS: Partial<Record<Type, Look>> = { nodesReady, machinesRunning, etcdQuorum, pdbHeadroom, cel }
const TRIES: Partial<Record<Type, Try>> = { controlPlane, workloads, http, prometheus, job }

const LOOK_MS = 1_000
/** So long after the next result should have come, the last one is old. */
const OLD_MS = 15_000
const TIMEOUT_MS = 10_000
const JOB_TIMEOUT_MS = 300_000
const JOB_EVERY_MS = 60_000
/** To take back what was made in the cluster. */
const STOP_MS = 5_000

export interface HealthMonitorOptions {
  /** Of the host: Secrets and NodeOperations. */
  readonly client: KubeClient
  readonly clock: Clock
  readonly log: Log
  /** Hears the `namespace/name` of a cluster that an operation holds, with each result. */
  readonly tell: (cluster: string) => void
  /** Hears every result. */
  readonly checked?: (result: CheckResult) => void
}

export interface CheckResult {
  /** Name of the ManagedCluster. */
  readonly cluster: string
  readonly check: string
  readonly type: Type
  readonly passed: boolean
  readonly seconds: number
}

export interface HealthMonitor {
  /** From now on checks are carried out: by the operator that leads. */
  start(): void
  /** What is known now, of every check of the cluster; begins what is due, once started. Never waits. */
  results(sight: Sight): readonly HealthFacts[]
  /** By `namespace/name`. */
  forget(cluster: string): void
  /** Ends what is under way, and forgets what was found. It may be started again. */
  stop(): Promise<void>
}

interface Subject {
  readonly check: NodeHealthCheck
  readonly sight: Sight
  readonly state: CheckState
}

class Monitor implements HealthMonitor {
  readonly #options: HealthMonitorOptions
  readonly #clusters = new Map<string, ReadonlyMap<string, CheckState>>()
  readonly #running = new Map<Promise<void>, AbortController>()
  readonly #help: Pick<Attempt, 'secret' | 'recordedBefore' | 'warn' | 'clock'>

  #isStarted = false

  constructor(options: HealthMonitorOptions) {
    this.#options = options
    const before = createBeforeRuns(options.client)
    this.#help = {
      clock: options.clock,
      secret: secretReader(options.client),
      recordedBefore: (sight, now) => before.of(sight, now),
      warn: (fields, message) => options.log.warn(fields, message),
    }
  }

  start(): void {
    this.#isStarted = true
  }

  results(sight: Sight): readonly HealthFacts[] {
    const { cluster } = sight
    if (!this.#isStarted) return cluster.spec.healthChecks.map(({ name }) => ({ name, ...NOT_HERE }))
    const key = objectKey(cluster)
    const before = this.#clusters.get(key)
    const checks = cluster.spec.healthChecks
    const states = new Map(checks.map((check) => [check.name, currentState(before?.get(check.name), check, cluster)]))
    for (const [name, { running }] of before ?? []) if (!states.has(name)) running?.abort()
    this.#clusters.set(key, states)
    return checks.map((check) => {
      const state = states.get(check.name)
      return state === undefined ? nothing(check) : this.#result({ check, sight, state })
    })
  }

  forget(cluster: string): void {
    for (const { running } of this.#clusters.get(cluster)?.values() ?? []) running?.abort()
    this.#clusters.delete(cluster)
  }

  async stop(): Promise<void> {
    this.#isStarted = false
    this.#clusters.clear()
    for (const running of this.#running.values()) running.abort()
    await Promise.race([Promise.all(this.#running.keys()), this.#options.clock.after(STOP_MS)])
  }

  #result(subject: Subject): HealthFacts {
    const { check, state } = subject
    const look = LOOKS[check.type]
    const tries = TRIES[check.type]
    if (look !== undefined) this.#look(subject, look)
    else if (tries !== undefined && this.#isDue(subject)) this.#begin(subject, tries)
    return { name: check.name, ...this.#known(check, state) }
  }

  #known(check: NodeHealthCheck, { at, passes, message }: CheckState): Omit<HealthFacts, 'name'> {
    if (at === undefined) return nothing(check)
    const age = this.#options.clock.monotonic() - at
    if (age <= everyMs(check) + timeoutMs(check) + OLD_MS) return { passes, message }
    return { passes: 0, message: `no result for ${Math.round(age / 1000)} s; the last one was: ${message}` }
  }

  #look(subject: Subject, look: Look): void {
    const from = this.#options.clock.monotonic()
    const { check, sight, state } = subject
    if (state.at !== undefined && from - state.at < LOOK_MS) return
    this.#record(subject, look(check, sight), from)
  }

  #isDue({ check, sight, state }: Subject): boolean {
    if (check.type === 'job' && !changesNodes(sight.cluster)) {
      state.running?.abort()
      return false
    }
    if (state.running !== undefined) return false
    return state.begunAt === undefined || this.#options.clock.monotonic() - state.begunAt >= everyMs(check)
  }

  #begin(subject: Subject, tries: Try): void {
    const { clock, log } = this.#options
    const { check, sight, state } = subject
    const stopping = new AbortController()
    const limits = { clock, log, timeoutMs: timeoutMs(check), signal: stopping.signal }
    const from = clock.monotonic()
    state.begunAt = from
    state.running = stopping
    const { result, ended } = inTime(limits, (signal) =>
      tries(check, sight, { ...this.#help, signal, timeoutMs: limits.timeoutMs }),
    )
    const recorded = result.then((wrong) => {
      // It was ended from outside: what it says is worth nothing.
      if (!stopping.signal.aborted) this.#record(subject, wrong, from)
    })
    const done: Promise<void> = Promise.all([recorded, ended]).then(() => {
      delete state.running
      this.#running.delete(done)
      if (sight.cluster.status?.operation !== undefined) this.#options.tell(objectKey(sight.cluster))
    })
    this.#running.set(done, stopping)
  }

  #record({ check, sight, state }: Subject, wrong: Wrong, from: number): void {
    const now = this.#options.clock.monotonic()
    recordResult(state, wrong, now)
    this.#options.checked?.({
      cluster: sight.cluster.metadata.name ?? '',
      check: check.name,
      type: check.type,
      passed: wrong === undefined,
      seconds: (now - from) / 1000,
    })
  }
}

export function createHealthMonitor(options: HealthMonitorOptions): HealthMonitor {
  return new Monitor(options)
}

/** Whoever is only asked what is going on. */
const NOT_HERE = { passes: 0, message: 'only the operator that leads knows' }

const nothing = ({ name }: NodeHealthCheck): HealthFacts => ({ name, passes: 0, message: 'no result yet' })

/** Nothing of a cluster that is started or stopped as a whole waits for a Job. */
function changesNodes({ status }: ManagedCluster): boolean {
  const { type, outcome } = status?.operation ?? {}
  return outcome === undefined && (type === 'Rollout' || type === 'Upgrade' || type === 'Scale')
}

const everyMs = ({ job: block }: NodeHealthCheck): number =>
  block === undefined ? APART_MS : (parseDuration(block.every) ?? JOB_EVERY_MS)

function timeoutMs({ type, timeout }: NodeHealthCheck): number {
  const otherwise = type === 'job' ? JOB_TIMEOUT_MS : TIMEOUT_MS
  return timeout === undefined ? otherwise : (parseDuration(timeout) ?? otherwise)
}
