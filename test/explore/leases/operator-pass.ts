/**
 * One pass of the real lease controller: what it observes, plans and writes is the code of `src/controllers/lease`, over caches
 * made from the world. Left out are the work queue and the loop that runs a pass again: each pass is a step of its own.
 */
import type { KubeObject } from '../../../src/api/resource.ts'
import type { ClusterLease, LeaseStatus } from '../../../src/api/v1alpha1/cluster-lease.ts'
import type { LeaseBinding } from '../../../src/api/v1alpha1/lease-binding.ts'
import type { ControllerDeps } from '../../../src/controllers/deps.ts'
import { executeLease } from '../../../src/controllers/lease/execute.ts'
import { createHolders } from '../../../src/controllers/lease/holders.ts'
import { observeLease } from '../../../src/controllers/lease/observe.ts'
import { createPoolQueues } from '../../../src/controllers/lease/pool-queues.ts'
import type { LeaseAction } from '../../../src/core/lease/action.ts'
import { leaseStatusOf } from '../../../src/core/lease/lease-status.ts'
import type { LeaseObserved } from '../../../src/core/lease/observed.ts'
import { planLease } from '../../../src/core/lease/plan-lease.ts'
import type { Plan } from '../../../src/core/plan.ts'
import { isKubeError } from '../../../src/kube/errors.ts'
import { silentLog } from '../../../src/kube/log.ts'
import type { OwnWrites } from '../../../src/kube/own-writes.ts'
import { encodeLeaseStatus } from '../pools/encode-status.ts'
import { cacheOf } from './cache.ts'
import { type Fault, openSession, type Request, type Session } from './session.ts'
import {
  hasToken,
  keyOf,
  NAMESPACE,
  type Objects,
  type Operator,
  ofKind,
  type Suspended,
  viewOf,
  type World,
  withOperator,
} from './world.ts'

export interface Ran {
  readonly world: World
  /** Of this run; each is a place where it may be cut. */
  readonly writes: readonly Request[]
  /** What was left when it stood still. */
  readonly suspended?: Suspended
  readonly requeueAfterMs?: number | undefined
}

export interface Begin {
  readonly about: string
  /** Goes on from here instead of beginning. */
  readonly from?: Suspended | undefined
  readonly fault?: Fault
}

/** What a pass came to whose caches were fresh: it depends on the objects and the time alone, whatever else the world holds. */
const passed = new WeakMap<Objects, Map<string, Ran>>()

export async function runLeasePass(start: World, at: number, begin: Begin): Promise<Ran> {
  const operator = start.operators[at] as Operator
  if (begin.from !== undefined || operator.lag !== undefined) return await run(start, at, begin)
  const { about, fault } = begin
  const key = [at, about, fault?.kind, fault?.write, start.now, operator.pass?.about, operator.pass?.next.verb].join()
  const known = passed.get(start.objects) ?? new Map<string, Ran>()
  passed.set(start.objects, known)
  const before = known.get(key)
  const ran = before ?? (await run(start, at, begin))
  if (before === undefined) known.set(key, ran)
  if (ran.world.objects === start.objects) return { ...ran, world: start }
  const { objects, serial, used, violations } = ran.world
  return { ...ran, world: { ...start, objects, serial, used, violations } }
}

async function run(start: World, at: number, { about, from, fault }: Begin): Promise<Ran> {
  const operator = start.operators[at] as Operator
  const seen = from?.seen ?? viewOf(start, operator)
  const before = from === undefined ? settledBefore(start, seen, about) : undefined
  if (before !== undefined) return { world: start, writes: [], requeueAfterMs: before.requeueAfterMs }
  const serial = from?.serial ?? start.serial
  const session = openSession(start, from?.answers, fault)
  const deps = depsOf(start, session, seen, `${serial}-${at}-${about}`)
  const holders = createHolders(deps)
  holders.follow()
  // One process: what another pass is writing at this moment counts already.
  const choosing = from === undefined ? choosingNow(operator, seen) : undefined
  if (choosing !== undefined) holders.choosing(choosing)
  const queues = createPoolQueues(deps, { lastServed: new Map(), holders })
  const ref = { namespace: NAMESPACE, name: about }

  let thought: { readonly observed: LeaseObserved; readonly plan: Plan<LeaseAction, LeaseStatus> } | undefined
  let result: string | undefined
  const whole = (async () => {
    const observed = await observeLease(deps, { lastServed: new Map(), holders, queues }, ref)
    if (observed === undefined) return
    const now = deps.clock.now()
    const plan = planLease(observed, now)
    thought = { observed, plan }
    result = await executeLease({ deps, holders, queues, observed, now, lease: observed.lease }, plan)
  })()
  const ended = await Promise.race([whole.then(noRequest, givesUp), session.stopped])
  const after = remembered(session, operator, { result, thought })
  const world = after === operator ? session.world() : withOperator(session.world(), at, after)
  if (world === start && ended === undefined && session.writes.length === 0)
    settle(start, seen, about, thought?.plan.requeueAfterMs)
  const rest = ended === undefined || thought === undefined ? undefined : restOf(thought, session, start.now)
  return {
    world,
    writes: session.writes,
    requeueAfterMs: thought?.plan.requeueAfterMs,
    ...(ended === undefined || rest === undefined
      ? {}
      : { suspended: { about, seen, serial, answers: session.answers, next: ended, ...rest } }),
  }
}

interface Settled {
  readonly inputs: readonly unknown[]
  readonly requeueAfterMs: number | undefined
}

/** A pass over a bound lease looks at that lease, its member and its token only: one that did nothing does nothing again. */
const settled = new WeakMap<ClusterLease, Settled>()

function settledBefore(world: World, seen: Objects, name: string): Settled | undefined {
  const lease = seen.get(keyOf('clusterleases', name)) as ClusterLease | undefined
  const before = lease === undefined ? undefined : settled.get(lease)
  if (lease === undefined || before === undefined) return undefined
  return inputsOf(world, seen, lease).every((input, at) => input === before.inputs[at]) ? before : undefined
}

function settle(world: World, seen: Objects, name: string, requeueAfterMs: number | undefined): void {
  const lease = seen.get(keyOf('clusterleases', name)) as ClusterLease | undefined
  if (lease?.status?.phase === 'Bound') settled.set(lease, { inputs: inputsOf(world, seen, lease), requeueAfterMs })
}

function inputsOf(world: World, seen: Objects, { metadata, status }: ClusterLease): unknown[] {
  const member = keyOf('clusterinstances', status?.binding?.instance.name ?? '')
  return [world.now, seen.get(member), world.objects.get(member), hasToken(seen, metadata.uid)]
}

const noRequest = (): undefined => undefined

/** A pass ends early when the API server says no; anything else is a defect of the code or of this harness. */
function givesUp(error: unknown): undefined {
  if (!isKubeError(error)) throw error
}

interface Thought {
  readonly observed: LeaseObserved
  readonly plan: Plan<LeaseAction, LeaseStatus>
}

/** What is left of a pass, and the versions it still relies on. */
function restOf(
  { observed, plan }: Thought,
  { answers, known }: Session,
  now: number,
): Pick<Suspended, 'rest' | 'fences'> {
  const kinds = plan.actions.map(({ kind }) => kind).join()
  const own = known.filter(({ plural }) => plural === 'clusterleases').at(-1)?.object ?? observed.lease
  const reserved = plan.actions.flatMap((action) =>
    action.kind === 'ReserveInstance'
      ? [{ key: keyOf('clusterinstances', action.name), version: action.resourceVersion }]
      : [],
  )
  return {
    rest: `${answers.length}:${kinds}:${encodeLeaseStatus(plan.status, now)}`,
    fences: [
      { key: keyOf('clusterleases', observed.lease.metadata.name ?? ''), version: own.metadata.resourceVersion },
      ...reserved,
    ],
  }
}

/** What the process knows after the pass. In a cache that does not lag there is nothing to remember. */
function remembered(
  { known }: Session,
  operator: Operator,
  { result, thought }: { readonly result: string | undefined; readonly thought: Thought | undefined },
): Operator {
  const { lag, gone } = operator
  const { uid = '', finalizers = [] } = thought?.observed.lease.metadata ?? {}
  const last = thought?.plan.actions.some(({ kind }) => kind === 'RemoveFinalizer') ?? false
  const ended = result === 'gone' && (finalizers.length === 0 || last)
  if (lag === undefined) return operator
  const next = ended && lag.kind === 'clusterleases' ? { ...operator, gone: [...gone, uid] } : operator
  const own = known.filter(({ plural }) => plural === lag.kind)
  return own.length === 0 ? next : { ...next, lag: { ...lag, seen: own.reduce(overlaid, lag.seen) } }
}

/** Own writes are laid over what is cached of the same object. That a token was made or deleted is remembered as such. */
function overlaid(seen: Objects, { plural, object, gone }: Session['known'][number]): Objects {
  const key = keyOf(plural, object.metadata.name ?? '')
  const cached = seen.get(key)
  const next = new Map(seen)
  if (plural === 'secrets') {
    if (gone) next.delete(key)
    else next.set(key, object)
    return next
  }
  if (gone || cached?.metadata.uid !== object.metadata.uid) return seen
  return next.set(key, object)
}

/** The lease whose choice of a member a suspended pass of this process is writing, as it will be. */
function choosingNow({ pass }: Operator, seen: Objects): ClusterLease | undefined {
  if (pass?.next.plural !== 'clusterleases' || pass.next.verb !== 'patch') return undefined
  const { status } = pass.next.body as { status?: { binding?: LeaseBinding; phase?: string } }
  const lease = seen.get(keyOf('clusterleases', pass.about)) as ClusterLease | undefined
  if (lease === undefined || !status?.binding || status.phase === 'Bound') return undefined
  return { ...lease, status: { ...leaseStatusOf(lease), binding: status.binding } }
}

function depsOf(world: World, { client }: Session, seen: Objects, id: string): ControllerDeps {
  const { now } = world
  const own: OwnWrites<KubeObject> = {
    record: () => undefined,
    latest: (cached) => cached,
    // What the process wrote is laid over its cache already.
    recorded: () => [],
    forget: () => undefined,
    isGone: () => false,
  }
  const members = ofKind(seen, 'clusterinstances')
  const deps = {
    client,
    caches: {
      leases: cacheOf(seen, 'clusterleases'),
      instances: cacheOf(seen, 'clusterinstances'),
      pools: cacheOf(seen, 'clusterpools'),
      policies: cacheOf(seen, 'accesspolicies'),
      secrets: cacheOf(seen, 'secrets'),
    },
    own: {
      leases: own,
      instances: own,
      pools: own,
      tokens: { created: noRequest, deleted: noRequest, exists: noRequest },
    },
    // Every member answers its probes.
    probes: new Map(members.map(({ metadata }) => [metadata.uid ?? '', { healthy: true, at: now }])),
    backends: new Map(),
    clock: { now: () => now, monotonic: () => 0, after: () => Promise.resolve(), setTimer: () => noRequest },
    log: silentLog,
    random: { uuid: () => id, hex: () => id },
  }
  return deps as unknown as ControllerDeps
}
