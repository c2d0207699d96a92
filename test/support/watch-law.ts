/**
 * What every watch must obey, whoever opened it: ordered, unique, reliable, resumable, bookmarks honest, selectors told
 * as they turn, nothing of another namespace. `judgeStream` looks at one stream alone; `judgeAgainstHistory` also knows
 * what was written. `WatchLaw` follows the watches of a whole suite.
 */

import { isDeepStrictEqual } from 'node:util'
import type { KubeObject, ResourceType } from '../../src/api/resource.ts'
import type { KubeClient, WatchEvent, WatchOptions } from '../../src/kube/client.ts'

/** An event as any client sees it. */
export interface SeenEvent {
  readonly type: string
  readonly object: unknown
}

export interface WatchScope {
  /** For the messages. */
  readonly name: string
  /** Absent: all namespaces, or a kind without. */
  readonly namespace?: string
  /** The revision it goes on from; absent: it begins with the present state. */
  readonly from?: bigint
  /** The label or field selector as a test; only judged against a history. */
  readonly selects?: (object: unknown) => boolean
}

/** One write, in the order of revisions. `DELETED` carries the last state, under the revision of the deletion. */
export interface Write {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'
  readonly object: unknown
}

interface Meta {
  readonly key: string
  readonly namespace: string
  readonly uid: string
  readonly revision: bigint
  readonly endsInitial: boolean
}

const INITIAL_EVENTS_END = 'k8s.io/initial-events-end'

/** Undefined: the object tells no revision (a Table without objects, a Status). */
function metaOf(object: unknown): Meta | undefined {
  const { metadata, kind, rows } = (object ?? {}) as { metadata?: unknown; kind?: string; rows?: unknown }
  if (kind === 'Table') return Array.isArray(rows) && rows.length === 1 ? metaOf(rows[0]?.object) : undefined
  const {
    name = '',
    namespace = '',
    uid = '',
    resourceVersion,
    annotations,
  } = (metadata ?? {}) as Record<string, string>
  if (resourceVersion === undefined || !/^\d+$/.test(resourceVersion)) return undefined
  const notes = (annotations ?? {}) as unknown as Record<string, string>
  const endsInitial = notes[INITIAL_EVENTS_END] === 'true'
  return { key: `${namespace}/${name}`, namespace, uid, revision: BigInt(resourceVersion), endsInitial }
}

/** Sentences on what is broken; empty: nothing. */
export function judgeStream(events: readonly SeenEvent[], scope: WatchScope): string[] {
  const judge = new Judge(scope)
  for (const [index, event] of events.entries()) judge.see(event, index + 1)
  return judge.broken
}

class Judge {
  readonly broken: string[] = []
  readonly #scope: WatchScope
  /** Objects that are in the selection now, with their UIDs. */
  readonly #present = new Map<string, string>()
  /** Objects of which something was said. */
  readonly #known = new Set<string>()
  #last: bigint
  #initial: boolean
  #failed = false

  constructor(scope: WatchScope) {
    this.#scope = scope
    this.#last = scope.from ?? 0n
    this.#initial = scope.from === undefined
  }

  see({ type, object }: SeenEvent, number: number): void {
    const say = (text: string): void => {
      this.broken.push(`${this.#scope.name}, event ${number} (${type}): ${text}`)
    }
    if (this.#failed) say('comes after an ERROR, which is the last thing a watch tells')
    if (type === 'ERROR') this.#failed = true
    const meta = type === 'ERROR' ? undefined : metaOf(object)
    if (meta === undefined) return
    if (type === 'BOOKMARK') this.#seeBookmark(meta, say)
    else this.#seeObject(type, meta, say)
  }

  #seeBookmark({ revision, endsInitial }: Meta, say: (text: string) => void): void {
    if (revision < this.#last) say(`its revision ${revision} lies before ${this.#last}, which was told already`)
    if (endsInitial && !this.#initial) say('ends the initial events, which were over already')
    this.#initial = false
    this.#raise(revision)
  }

  #seeObject(type: string, meta: Meta, say: (text: string) => void): void {
    const { key, namespace, revision } = meta
    if (this.#scope.namespace !== undefined && namespace !== this.#scope.namespace)
      say(`is about namespace ${namespace}`)
    // The state that a watch begins with comes in any order, each object once.
    if (this.#initial && (type !== 'ADDED' || this.#known.has(key))) this.#initial = false
    if (!this.#initial && revision <= this.#last) {
      say(`its revision ${revision} is not above ${this.#last}, which was told already`)
    }
    this.#checkLife(type, meta, say)
    this.#raise(revision)
  }

  #checkLife(type: string, { key, uid }: Meta, say: (text: string) => void): void {
    const before = this.#present.get(key)
    const isNews = !this.#known.has(key) && this.#scope.from !== undefined
    if (type === 'ADDED' && before !== undefined) say(`${key} appears and was there already`)
    if (type !== 'ADDED' && before === undefined && !isNews) say(`${key} was not there`)
    if (type !== 'ADDED' && before !== undefined && before !== uid) say(`${key} has another uid than before`)
    this.#known.add(key)
    if (type === 'DELETED') this.#present.delete(key)
    else this.#present.set(key, uid)
  }

  #raise(revision: bigint): void {
    if (revision > this.#last) this.#last = revision
  }
}

/** What a watch from `scope.from` (default: from the beginning) must tell of the writes. */
export function expectedEvents(history: readonly Write[], scope: WatchScope): SeenEvent[] {
  const selected = new Map<string, unknown>()
  const told: SeenEvent[] = []
  for (const write of history) {
    const meta = metaOf(write.object)
    if (meta === undefined || (scope.namespace ?? meta.namespace) !== meta.namespace) continue
    const event = transition(write, selected.get(meta.key), scope)
    if (event === undefined) continue
    if (event.type === 'DELETED') selected.delete(meta.key)
    else selected.set(meta.key, write.object)
    if (meta.revision > (scope.from ?? 0n)) told.push(event)
  }
  return told
}

/** An object that begins to match appears; one that stops is gone as it last matched, under the new revision. */
function transition(
  { type, object }: Write,
  before: unknown,
  { selects = () => true }: WatchScope,
): SeenEvent | undefined {
  const matches = type !== 'DELETED' && selects(object)
  if (matches) return { type: before === undefined ? 'ADDED' : 'MODIFIED', object }
  if (before === undefined) return undefined
  return { type: 'DELETED', object: type === 'DELETED' ? object : withRevisionOf(before, object) }
}

function withRevisionOf(before: unknown, now: unknown): unknown {
  const old = before as { metadata: object }
  const next = now as { metadata: { resourceVersion: string } }
  return { ...old, metadata: { ...old.metadata, resourceVersion: next.metadata.resourceVersion } }
}

/**
 * A watch with `scope.from` against the writes: up to the last revision that it told, it must have told all of them, and
 * nothing else. Includes `judgeStream`.
 */
export function judgeAgainstHistory(
  events: readonly SeenEvent[],
  history: readonly Write[],
  scope: WatchScope,
): string[] {
  const broken = judgeStream(events, scope)
  const wanted = expectedEvents(history, scope)
  let told = 0
  for (const [index, event] of events.entries()) {
    const at = `${scope.name}, event ${index + 1} (${event.type})`
    if (event.type === 'BOOKMARK') {
      const horizon = metaOf(event.object)?.revision ?? 0n
      const missed = wanted.slice(told).find(({ object }) => (metaOf(object)?.revision ?? 0n) <= horizon)
      if (missed !== undefined) broken.push(`${at}: promises revision ${horizon}, yet ${shown(missed)} was not told`)
    } else if (event.type !== 'ERROR') {
      const next = wanted[told++]
      if (!isDeepStrictEqual(next, { type: event.type, object: event.object })) {
        broken.push(`${at}: tells ${shown(event)}, but what was written next is ${shown(next)}`)
      }
    }
  }
  return broken
}

/** Opens a watch from before each write, and from the last, and judges each: a client may come back with any revision. */
export async function judgeResumable(
  history: readonly Write[],
  scope: WatchScope,
  watchFrom: (revision: bigint, events: number) => Promise<readonly SeenEvent[]>,
): Promise<string[]> {
  const revisions = history.map(({ object }) => metaOf(object)?.revision ?? 0n)
  const broken: string[] = []
  for (const from of new Set([(revisions[0] ?? 1n) - 1n, ...revisions])) {
    const here = { ...scope, name: `${scope.name} from ${from}`, from }
    const wanted = expectedEvents(history, here).length
    const seen = await watchFrom(from, wanted)
    broken.push(...judgeAgainstHistory(seen, history, here))
    const told = seen.filter(({ type }) => type !== 'BOOKMARK').length
    if (told < wanted) broken.push(`${here.name}: told ${told} of ${wanted} events`)
  }
  return broken
}

function shown(event: SeenEvent | undefined): string {
  if (event === undefined) return 'nothing'
  const meta = metaOf(event.object)
  return `${event.type} ${meta?.key ?? '?'} at ${meta?.revision ?? '?'}`
}

/** Follows all watches of a suite. */
export class WatchLaw {
  readonly #streams: { scope: WatchScope; events: SeenEvent[] }[] = []

  /** Answers a function to be called with each event of the watch, or with its raw line. */
  follow(scope: WatchScope): (event: SeenEvent) => void {
    const events: SeenEvent[] = []
    this.#streams.push({ scope, events })
    return (event) => {
      // What a test does to the object later must not count.
      events.push({ type: event.type, object: structuredClone(event.object) })
    }
  }

  /** The same client, with its watches followed. */
  wrap<T extends KubeClient>(client: T): T {
    const watch = <O extends KubeObject>(type: ResourceType<O>, options: WatchOptions): AsyncIterable<WatchEvent<O>> =>
      tee(client.watch(type, options), this.follow(scopeOfOptions(type.plural, options)))
    return new Proxy(client, {
      get: (target, name) => {
        if (name === 'watch') return watch
        const value: unknown = Reflect.get(target, name)
        return typeof value === 'function' ? value.bind(target) : value
      },
    })
  }

  /** All sentences on what is broken so far. */
  broken(): string[] {
    return this.#streams.flatMap(({ scope, events }) => judgeStream(events, scope))
  }

  /** For the end of a suite. */
  enforce(): void {
    const broken = this.broken()
    if (broken.length > 0) throw new Error(`watches broke the law:\n${broken.join('\n')}`)
  }
}

async function* tee<E extends SeenEvent>(events: AsyncIterable<E>, see: (event: SeenEvent) => void): AsyncIterable<E> {
  for await (const event of events) {
    see(event)
    yield event
  }
}

function scopeOfOptions(name: string, { namespace, resourceVersion, sendInitialEvents }: WatchOptions): WatchScope {
  return {
    name,
    ...(namespace === undefined ? {} : { namespace }),
    ...(sendInitialEvents === true ? {} : startOf(resourceVersion)),
  }
}

/** Of the URL of a watch. */
export function scopeOfPath(path: string): WatchScope {
  const { pathname, searchParams } = new URL(path, 'https://server')
  const namespace = /\/namespaces\/([^/]+)\/[^/]+/.exec(pathname)?.[1]
  const revision = searchParams.get('resourceVersion') ?? undefined
  const initial = searchParams.get('sendInitialEvents') === 'true'
  return {
    name: path,
    ...(namespace === undefined ? {} : { namespace }),
    ...(initial ? {} : startOf(revision)),
  }
}

function startOf(revision: string | undefined): { from?: bigint } {
  return revision === undefined || !/^[1-9]\d*$/.test(revision) ? {} : { from: BigInt(revision) }
}
