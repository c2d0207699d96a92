/**
 * A backend in memory, for tests of what uses a backend. It keeps the rules of the interface (it passes the same contract
 * suite as the real ones) and can be told to be slow, full, broken or wrong.
 */
import type { Backend as BackendSpec } from '../../api/v1alpha1/cluster-pool.ts'
import type { Clock } from '../../kube/clock.ts'
import {
  type Backend,
  type BackendCapabilities,
  BackendError,
  type DestroyState,
  type MemberState,
  type MemberTarget,
  type ProbeResult,
} from '../backend.ts'

export type FakeMethod = 'ensure' | 'probe' | 'kubeconfig' | 'destroy'

export interface FakeCall {
  readonly method: FakeMethod
  readonly name: string
  readonly uid: string
}

export interface FakeMember {
  readonly name: string
  readonly uid: string
  readonly version: string
  /** Epoch milliseconds. */
  readonly createdAt: number
  readonly readyAt: number
  readonly goneAt?: number
}

/** What outlives a backend instance, as processes and files do for real ones. */
export type FakeWorld = Map<string, FakeMember>

export interface FakeBackendOptions {
  readonly clock: Clock
  /** Default: an empty one. */
  readonly world?: FakeWorld
  /** From the first `ensure` to Running, milliseconds. Default 0. */
  readonly provisionMs?: number
  /** From the first `destroy` to gone, milliseconds. Default 0. */
  readonly destroyMs?: number
  /** Members that fit; more are `Unschedulable`. Default: no limit. */
  readonly maxMembers?: number
  readonly capabilities?: Partial<BackendCapabilities>
}

export interface FakeBackend extends Backend {
  readonly calls: readonly FakeCall[]
  readonly world: ReadonlyMap<string, FakeMember>
  /** The next call of this method throws; `times` calls in a row when given. */
  failNext(method: FakeMethod, error: Error, times?: number): void
  /** `ensure` answers this from now on; undefined: what is the case. */
  setState(name: string, state: MemberState | undefined): void
  /** `probe` answers this from now on; undefined: what is the case. */
  setHealth(name: string, health: ProbeResult | undefined): void
  /** `destroy` never gets rid of it while set. */
  holdDestroy(name: string, held: boolean): void
  /** For members made from now on. */
  setDelays(delays: { readonly provisionMs?: number; readonly destroyMs?: number }): void
  setMaxMembers(maxMembers: number): void
  /** Tells subscribers that a member may have changed state. */
  notify(name: string): void
  /** The member is gone, as if somebody removed it behind our back. */
  lose(name: string): void
}

const allGates = [
  'AddonsReady',
  'CRDExists',
  'NodesReady',
  'DeploymentReady',
  'DaemonSetReady',
  'URLHealthy',
  'SchedulingProbe',
  'DNSHealthy',
  'InClusterToken',
]

interface Faults {
  readonly errors: Map<FakeMethod, Error[]>
  readonly states: Map<string, MemberState>
  readonly health: Map<string, ProbeResult>
  readonly held: Set<string>
}

export function createFakeBackend(options: FakeBackendOptions): FakeBackend {
  return new InMemoryBackend(options)
}

class InMemoryBackend implements FakeBackend {
  readonly type = 'fake'
  readonly calls: FakeCall[] = []
  readonly world: FakeWorld
  private readonly clock: Clock
  private readonly overrides: Partial<BackendCapabilities>
  private readonly faults: Faults = { errors: new Map(), states: new Map(), health: new Map(), held: new Set() }
  private readonly listeners = new Set<(instance: string) => void>()
  private readonly timers = new Set<() => void>()
  private provisionMs: number
  private destroyMs: number
  private maxMembers: number

  constructor(options: FakeBackendOptions) {
    this.clock = options.clock
    this.world = options.world ?? new Map()
    this.provisionMs = options.provisionMs ?? 0
    this.destroyMs = options.destroyMs ?? 0
    this.maxMembers = options.maxMembers ?? Number.POSITIVE_INFINITY
    this.overrides = options.capabilities ?? {}
  }

  capabilities(_spec: BackendSpec): BackendCapabilities {
    const gates = new Set(allGates)
    return { supportsVerifiedDestroy: true, gates, runsBootstrapJobs: true, maxConcurrentCreates: 4, ...this.overrides }
  }

  fingerprint(spec: BackendSpec, cluster: MemberTarget['cluster']): unknown {
    return { type: spec.type, version: cluster.version }
  }

  /** Nothing runs in a member of this backend. */
  defaultGates(): readonly [] {
    return []
  }

  async ensure(target: MemberTarget): Promise<MemberState> {
    this.begin('ensure', target)
    const found = this.world.get(target.name)
    if (found !== undefined && found.uid !== target.uid)
      return { state: 'Failed', message: `the name ${target.name} is held by another member (UID ${found.uid})` }
    if (found?.goneAt !== undefined) return { state: 'Failed', message: `${target.name} is being destroyed` }
    if (found === undefined && this.world.size >= this.maxMembers)
      return { state: 'Unschedulable', message: `${this.world.size} of ${this.maxMembers} members exist` }
    const member = found ?? this.create(target)
    return this.faults.states.get(target.name) ?? this.observed(member)
  }

  async probe(target: MemberTarget): Promise<ProbeResult> {
    this.begin('probe', target)
    const set = this.faults.health.get(target.name)
    if (set !== undefined) return set
    const member = this.find(target)
    if (member === undefined) return { healthy: false, message: `there is no member ${target.name}` }
    return this.answers(member) ? { healthy: true } : { healthy: false, message: 'connection refused' }
  }

  async kubeconfig(target: MemberTarget): Promise<string> {
    this.begin('kubeconfig', target)
    const member = this.find(target)
    if (member === undefined) throw new BackendError('NotFound', `there is no member ${target.name}`)
    if (!this.answers(member)) throw new BackendError('NotReady', `${target.name} does not answer yet`)
    return renderFakeKubeconfig(member)
  }

  async destroy(target: MemberTarget): Promise<DestroyState> {
    this.begin('destroy', target)
    const member = this.find(target)
    if (member === undefined) return { gone: true, remaining: [] }
    const now = this.clock.now()
    const goneAt = member.goneAt ?? now + this.destroyMs
    if (now >= goneAt && !this.faults.held.has(member.name)) {
      this.forget(member.name)
      return { gone: true, remaining: [] }
    }
    if (member.goneAt === undefined) this.notifyAfter(member.name, this.destroyMs)
    this.world.set(member.name, { ...member, goneAt })
    return { gone: false, remaining: [`member ${member.name}`] }
  }

  subscribe(listener: (instance: string) => void): () => void {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  async close(): Promise<void> {
    for (const cancel of this.timers) cancel()
    this.timers.clear()
    this.listeners.clear()
  }

  failNext(method: FakeMethod, error: Error, times = 1): void {
    const errors = this.faults.errors.get(method) ?? []
    this.faults.errors.set(method, [...errors, ...Array<Error>(times).fill(error)])
  }

  setState(name: string, state: MemberState | undefined): void {
    if (state === undefined) this.faults.states.delete(name)
    else this.faults.states.set(name, state)
    this.notify(name)
  }

  setHealth(name: string, health: ProbeResult | undefined): void {
    if (health === undefined) this.faults.health.delete(name)
    else this.faults.health.set(name, health)
  }

  holdDestroy(name: string, held: boolean): void {
    if (held) this.faults.held.add(name)
    else this.faults.held.delete(name)
    this.notify(name)
  }

  setDelays(delays: { readonly provisionMs?: number; readonly destroyMs?: number }): void {
    this.provisionMs = delays.provisionMs ?? this.provisionMs
    this.destroyMs = delays.destroyMs ?? this.destroyMs
  }

  setMaxMembers(maxMembers: number): void {
    this.maxMembers = maxMembers
  }

  notify(name: string): void {
    for (const listener of this.listeners) listener(name)
  }

  lose(name: string): void {
    this.forget(name)
    this.notify(name)
  }

  private begin(method: FakeMethod, { name, uid }: MemberTarget): void {
    this.calls.push({ method, name, uid })
    const error = this.faults.errors.get(method)?.shift()
    if (error !== undefined) throw error
  }

  private create({ name, uid, cluster }: MemberTarget): FakeMember {
    const createdAt = this.clock.now()
    const member = { name, uid, version: cluster.version, createdAt, readyAt: createdAt + this.provisionMs }
    this.world.set(name, member)
    this.notifyAfter(name, this.provisionMs)
    return member
  }

  private find({ name, uid }: MemberTarget): FakeMember | undefined {
    const member = this.world.get(name)
    return member?.uid === uid ? member : undefined
  }

  private answers(member: FakeMember): boolean {
    return member.goneAt === undefined && this.observed(member).state === 'Running'
  }

  private observed(member: FakeMember): MemberState {
    return this.clock.now() >= member.readyAt
      ? { state: 'Running', message: 'answers' }
      : { state: 'Provisioning', message: 'is starting' }
  }

  private forget(name: string): void {
    this.world.delete(name)
    this.faults.states.delete(name)
    this.faults.health.delete(name)
  }

  private notifyAfter(name: string, ms: number): void {
    const cancel = this.clock.setTimer(ms, () => {
      this.timers.delete(cancel)
      this.notify(name)
    })
    this.timers.add(cancel)
  }
}

/** Well-formed, but nothing listens there: `.invalid` never resolves. */
function renderFakeKubeconfig({ name, uid }: FakeMember): string {
  const cluster = { name, cluster: { server: `https://${name}.fake.invalid:6443` } }
  const user = { name: 'admin', user: { token: `token-of-${uid}` } }
  const context = { name, context: { cluster: name, user: 'admin' } }
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [cluster],
    users: [user],
    contexts: [context],
    'current-context': name,
  })
}
