/**
 * What a controller has written and its informer has not yet shown. A pass that plans while a write of its own is
 * invisible would make the same object twice, or count one that it has just deleted.
 *
 *   expectCreated / expectDeleted  -> recorded BEFORE the write is sent, since the event may overtake the answer
 *   settled                        -> called with the answer: its UID and version tell the written object exactly
 *   withdraw                       -> the write surely did not happen (an answer other than success)
 *   pending / satisfied            -> compares with the cache; what is visible, or older than the timeout, is dropped
 *
 * A write whose answer was lost (`Unreachable`, `Timeout`) stays expected: it shows up, or the timeout ends the wait.
 */
import type { KubeObject } from '../api/resource.ts'
import type { Clock } from './clock.ts'
import { keyOf } from './object-key.ts'
import { compareResourceVersions } from './resource-version.ts'

/** The part of an informer that is asked. */
export interface ExpectationCache {
  get(namespace: string | undefined, name: string): Readonly<KubeObject> | undefined
  lastResourceVersion(): string
}

export interface ExpectedObject {
  /** Kind of the object; it says which cache is asked. */
  readonly kind: string
  readonly namespace?: string | undefined
  readonly name: string
  /** Of a created object: as soon as the answer tells. Of a deleted one: always. */
  readonly uid?: string | undefined
}

export interface Expectation extends ExpectedObject {
  readonly change: 'created' | 'deleted'
  readonly resourceVersion?: string
  /** Moment at which it is given up, on the monotonic clock. */
  readonly deadline: number
}

export interface Expectations {
  expectCreated(owner: string, object: ExpectedObject): void
  expectDeleted(owner: string, object: ExpectedObject & { readonly uid: string }): void
  settled(owner: string, kind: string, answer: KubeObject): void
  withdraw(owner: string, object: ExpectedObject): void
  /** What the cache does not show yet. */
  pending(owner: string): readonly Expectation[]
  satisfied(owner: string): boolean
  /** Milliseconds until the first pending one is given up: when to look again if no event comes. */
  waitMs(owner: string): number | undefined
  /** The owner is gone. */
  forget(owner: string): void
}

export interface ExpectationsOptions {
  readonly caches: Readonly<Record<string, ExpectationCache>>
  readonly clock: Clock
  /** After so long the cache is believed again. Milliseconds, default 60 000. */
  readonly timeoutMs?: number
}

const DEFAULT_TIMEOUT_MS = 60_000

type Entries = Map<string, Expectation>

const entryKey = (object: ExpectedObject): string => `${object.kind}/${keyOf(object.namespace, object.name)}`

function createdIsVisible(expected: Expectation, cache: ExpectationCache): boolean {
  const seen = cache.get(expected.namespace, expected.name)
  if (seen !== undefined && (expected.uid === undefined || seen.metadata.uid === expected.uid)) return true
  // Made and removed again before the cache caught up: its position tells that it is past both.
  const order = compareResourceVersions(cache.lastResourceVersion(), expected.resourceVersion)
  return order !== undefined && order >= 0
}

/** A finalizer may hold the object: that its deletion has begun is all that the write did. */
function deletedIsVisible(expected: Expectation, cache: ExpectationCache): boolean {
  const seen = cache.get(expected.namespace, expected.name)
  return seen?.metadata.uid !== expected.uid || seen?.metadata.deletionTimestamp !== undefined
}

class OwnerExpectations implements Expectations {
  readonly #owners = new Map<string, Entries>()
  readonly #caches: ExpectationsOptions['caches']
  readonly #clock: Clock
  readonly #timeoutMs: number

  constructor(options: ExpectationsOptions) {
    this.#caches = options.caches
    this.#clock = options.clock
    this.#timeoutMs = options.timeoutMs ?? DEFAULT_TIMEOUT_MS
  }

  expectCreated(owner: string, object: ExpectedObject): void {
    this.#record(owner, 'created', object)
  }

  expectDeleted(owner: string, object: ExpectedObject & { readonly uid: string }): void {
    this.#record(owner, 'deleted', object)
  }

  settled(owner: string, kind: string, answer: KubeObject): void {
    const { namespace, name = '', uid, resourceVersion } = answer.metadata
    const entries = this.#owners.get(owner)
    const key = entryKey({ kind, namespace, name })
    const held = entries?.get(key)
    if (entries === undefined || held?.change !== 'created') return
    entries.set(key, { ...held, uid, ...(resourceVersion === undefined ? {} : { resourceVersion }) })
  }

  withdraw(owner: string, object: ExpectedObject): void {
    this.#owners.get(owner)?.delete(entryKey(object))
    this.#dropEmpty(owner)
  }

  pending(owner: string): readonly Expectation[] {
    const entries = this.#owners.get(owner)
    if (entries === undefined) return []
    for (const [key, expected] of entries) {
      if (expected.deadline <= this.#clock.monotonic() || this.#isVisible(expected)) entries.delete(key)
    }
    this.#dropEmpty(owner)
    return [...entries.values()]
  }

  satisfied(owner: string): boolean {
    return this.pending(owner).length === 0
  }

  waitMs(owner: string): number | undefined {
    const deadlines = this.pending(owner).map(({ deadline }) => deadline)
    return deadlines.length === 0 ? undefined : Math.min(...deadlines) - this.#clock.monotonic()
  }

  forget(owner: string): void {
    this.#owners.delete(owner)
  }

  #record(owner: string, change: Expectation['change'], object: ExpectedObject): void {
    const { kind, namespace, name, uid } = object
    if (this.#caches[kind] === undefined) throw new RangeError(`expectations have no cache for the kind ${kind}`)
    const entries = this.#owners.get(owner) ?? new Map<string, Expectation>()
    this.#owners.set(owner, entries)
    const deadline = this.#clock.monotonic() + this.#timeoutMs
    entries.set(entryKey(object), { change, kind, namespace, name, uid, deadline })
  }

  #isVisible(expected: Expectation): boolean {
    const cache = this.#caches[expected.kind]
    if (cache === undefined) return true
    return expected.change === 'created' ? createdIsVisible(expected, cache) : deletedIsVisible(expected, cache)
  }

  #dropEmpty(owner: string): void {
    if (this.#owners.get(owner)?.size === 0) this.#owners.delete(owner)
  }
}

export function createExpectations(options: ExpectationsOptions): Expectations {
  return new OwnerExpectations(options)
}
