/**
 * The world that is explored: the objects of one pool's leases as an API server holds them, what each operator has in its
 * caches, and the requests that are being answered. A value: every change makes a new one that shares what did not change.
 * Time is logical, as in the worlds of pools.
 */
import type { KubeObject } from '../../../src/api/resource.ts'
import type { ClusterInstance } from '../../../src/api/v1alpha1/cluster-instance.ts'
import type { ClusterLease } from '../../../src/api/v1alpha1/cluster-lease.ts'
import type { Budget, LagKind, WorldConfig } from './config.ts'
import type { Answer, Request } from './session.ts'

export const NAMESPACE = 'kobe-system'

/** By `plural/name`, in the order of creation. */
export type Objects = ReadonlyMap<string, KubeObject>

/** Something that stands still before one of its writes. It goes on from the answers it has had so far. */
export interface Suspended {
  /** Name of the lease of a pass, or number of the ask. */
  readonly about: string
  /** The caches when it began. */
  readonly seen: Objects
  readonly serial: number
  readonly answers: readonly Answer[]
  readonly next: Request
  /** What is left to do, told apart as far as it matters: in terms of kinds and phases. */
  readonly rest: string
  /** Versions that later writes are fenced with. */
  readonly fences: readonly { readonly key: string; readonly version: string | undefined }[]
}

export interface Operator {
  /** A kind whose watch lags: how the objects look in the cache, own writes included. */
  readonly lag?: { readonly kind: LagKind; readonly seen: Objects }
  /** UIDs of leases that it deleted and that a lagging cache still shows. */
  readonly gone: readonly string[]
  readonly pass?: Suspended
}

export interface World {
  readonly config: WorldConfig
  readonly now: number
  /** Last number given: resource versions, UIDs, names and binding IDs. */
  readonly serial: number
  readonly objects: Objects
  readonly operators: readonly Operator[]
  /** Requests that a replica has begun to answer. */
  readonly calls: readonly Suspended[]
  /** How many of the asks were sent. */
  readonly sent: number
  readonly budget: Budget
  /** UIDs of living members that were ever leased. */
  readonly used: readonly string[]
  /** Idempotency key -> UID of the lease that was answered. */
  readonly answered: ReadonlyMap<string, string>
  readonly violations: readonly string[]
}

export const blame = (world: World, holds: boolean, message: string): World =>
  holds ? world : { ...world, violations: [...world.violations, message] }

export const keyOf = (plural: string, name: string): string => `${plural}/${name}`

const sorted = new WeakMap<Objects, ReadonlyMap<string, readonly KubeObject[]>>()

export function ofKind<T extends KubeObject>(objects: Objects, plural: string): readonly T[] {
  const kinds = sorted.get(objects) ?? byKind(objects)
  return (kinds.get(plural) ?? []) as readonly T[]
}

function byKind(objects: Objects): ReadonlyMap<string, readonly KubeObject[]> {
  const kinds = new Map<string, KubeObject[]>()
  for (const [key, object] of objects) {
    const plural = key.slice(0, key.indexOf('/'))
    const list = kinds.get(plural)
    if (list === undefined) kinds.set(plural, [object])
    else list.push(object)
  }
  sorted.set(objects, kinds)
  return kinds
}

export const leasesOf = ({ objects }: Pick<World, 'objects'>): readonly ClusterLease[] =>
  ofKind(objects, 'clusterleases')
export const membersOf = ({ objects }: Pick<World, 'objects'>): readonly ClusterInstance[] =>
  ofKind(objects, 'clusterinstances')

export const hasToken = (objects: Objects, uid: string | undefined): boolean =>
  ofKind(objects, 'secrets').some(
    ({ metadata }) => metadata.ownerReferences?.some((owner) => owner.uid === uid) ?? false,
  )

/** What an operator's caches show: one kind may lag, the others are as they are. */
export function viewOf(world: World, { lag }: Operator): Objects {
  if (lag === undefined) return world.objects
  const seen = new Map([...world.objects].filter(([key]) => !key.startsWith(`${lag.kind}/`)))
  for (const [key, object] of lag.seen) if (key.startsWith(`${lag.kind}/`)) seen.set(key, object)
  return seen
}

export const withOperator = (world: World, at: number, operator: Operator): World => ({
  ...world,
  operators: world.operators.map((other, index) => (index === at ? operator : other)),
})

export const spend = (world: World, what: keyof Budget): World => ({
  ...world,
  budget: { ...world.budget, [what]: world.budget[what] - 1 },
})
