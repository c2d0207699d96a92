/**
 * Events about objects, for `kubectl describe` and `kubectl events`. Written in the background and best effort: nothing a
 * recorder does can block or fail its caller.
 *
 *   record   -> over the burst limit of the object: dropped
 *            -> the same object, type, reason and message as an event written before: counted on it (one Event, `count`)
 *            -> waiting in the queue already: counted there
 *            -> the queue is full: dropped
 *   sending  -> when it is calm (`event-pace.ts`), one at a time; trouble is retried with growing waits, a refusal is final
 */
import { EVENTS, type KubeEvent } from '../api/core-resources.ts'
import type { KubeObject } from '../api/resource.ts'
import { createBackoff, type Random } from './backoff.ts'
import type { KubeClient } from './client.ts'
import type { Clock } from './clock.ts'
import { isKubeError } from './errors.ts'
import { createEventBudget } from './event-budget.ts'
import { createEventPace, type EventPace } from './event-pace.ts'
import { type Log, silentLog } from './log.ts'

export interface EventContent {
  readonly type: 'Normal' | 'Warning'
  /** CamelCase, stable: it is filtered by. */
  readonly reason: string
  /** A sentence for a person. At most 1024 characters are kept. */
  readonly message: string
  /** What was done or tried, CamelCase. */
  readonly action?: string
}

/** The part of an object that an event names. `kind` and `apiVersion` are needed for `kubectl describe` to find it. */
export type EventSubject = Pick<KubeObject, 'apiVersion' | 'kind' | 'metadata'>

export interface EventRecorder {
  /** Never throws, never waits. */
  record(about: EventSubject, content: EventContent): void
  /** Resolves when everything was written or given up, at the latest after `timeoutMs`, default 5 000: for the shutdown. */
  flush(timeoutMs?: number): Promise<void>
  /** Gives up what is not written. */
  close(): void
}

export interface EventRecorderOptions {
  readonly client: KubeClient
  /** Who reports, such as `kobe-operator`. */
  readonly component: string
  /** Which replica reports. */
  readonly instance: string
  readonly clock: Clock
  readonly random?: Random
  readonly log?: Log
  /** Events of one object that may come at once, default 25; after that one each five minutes. */
  readonly burst?: number
  /** Events that may wait to be written, default 1000. */
  readonly queueSize?: number
  readonly hooks?: { dropped?(reason: 'burst' | 'queue' | 'refused'): void }
}

const LONGEST_MESSAGE = 1024
const QUEUE_SIZE = 1000
/** Written events that are remembered, to count repetitions on. */
const REMEMBERED = 4096
const ATTEMPTS = 8
const FLUSH_TIMEOUT_MS = 5_000
/** The API puts events about cluster-scoped objects here. */
const CLUSTER_NAMESPACE = 'default'

/** Trouble that passes. */
const PASSING = ['Unreachable', 'Timeout', 'TooManyRequests', 'ServerError'] as const

interface Pending {
  /** Of the Event. */
  readonly name: string
  readonly about: EventSubject
  readonly content: EventContent
  readonly firstAt: number
  lastAt: number
  times: number
}

interface Written {
  readonly namespace: string
  readonly name: string
  count: number
}

/** RFC 3339 in whole seconds, as `metav1.Time`. */
function seconds(epochMs: number): string {
  return `${new Date(epochMs).toISOString().slice(0, 19)}Z`
}

function shortened(message: string): string {
  return message.length <= LONGEST_MESSAGE ? message : `${message.slice(0, LONGEST_MESSAGE - 1)}…`
}

class Recorder implements EventRecorder {
  readonly #options: EventRecorderOptions
  readonly #log: Log
  readonly #allows: (uid: string) => boolean
  readonly #queue = new Map<string, Pending>()
  readonly #written = new Map<string, Written>()
  readonly #closed = new AbortController()
  readonly #pace: EventPace
  #sending: Promise<void> | undefined
  #names: number

  constructor(options: EventRecorderOptions) {
    this.#options = options
    this.#log = options.log ?? silentLog
    this.#names = Math.floor((options.random ?? Math.random)() * 1_000_000)
    this.#pace = createEventPace(options.clock)
    this.#allows = createEventBudget(options.clock, options.burst ?? 25)
  }

  record(about: EventSubject, content: EventContent): void {
    if (this.#closed.signal.aborted) return
    const { uid, namespace, name } = about.metadata
    const subject = uid ?? `${about.kind}/${namespace}/${name}`
    if (!this.#allows(subject)) this.#dropped('burst')
    else this.#enqueue(JSON.stringify([subject, content.type, content.reason, content.message]), about, content)
  }

  async flush(timeoutMs: number = FLUSH_TIMEOUT_MS): Promise<void> {
    const sent = new AbortController()
    const timeout = this.#options.clock.after(timeoutMs, sent.signal)
    const hurried = this.#pace.hurry()
    await Promise.race([this.#allSent(), timeout])
    hurried()
    sent.abort()
  }

  async #allSent(): Promise<void> {
    while (this.#sending !== undefined) await this.#sending
  }

  close(): void {
    this.#closed.abort()
    this.#pace.hurry()
    this.#queue.clear()
  }

  #enqueue(key: string, about: EventSubject, content: EventContent): void {
    const now = this.#options.clock.now()
    this.#pace.recorded()
    const waiting = this.#queue.get(key)
    if (waiting !== undefined) {
      waiting.times++
      waiting.lastAt = now
    } else if (this.#queue.size >= (this.#options.queueSize ?? QUEUE_SIZE)) {
      this.#dropped('queue')
    } else {
      const name = this.#nameFor(about.metadata.name ?? '', now)
      this.#queue.set(key, { name, about, content, firstAt: now, lastAt: now, times: 1 })
      this.#sending ??= this.#sendAll()
    }
  }

  #dropped(reason: 'burst' | 'queue' | 'refused'): void {
    this.#options.hooks?.dropped?.(reason)
  }

  async #sendAll(): Promise<void> {
    await this.#pace.calm()
    for (const [key, pending] of this.#queue) {
      await this.#pace.turn()
      this.#queue.delete(key)
      await this.#sendWithRetries(key, pending)
    }
    // In the same turn as the last look at the queue: what is recorded next starts anew.
    this.#sending = undefined
  }

  async #sendWithRetries(key: string, pending: Pending): Promise<void> {
    const { clock, random = Math.random } = this.#options
    const backoff = createBackoff({ baseMs: 500, maxMs: 30_000, random })
    for (let attempt = 1; !this.#closed.signal.aborted; attempt++) {
      const error = await this.#send(key, pending).then(
        () => undefined,
        (failure: unknown) => failure,
      )
      if (error === undefined) return
      if (attempt >= ATTEMPTS || !isKubeError(error, ...PASSING)) {
        this.#refused(error, pending)
        return
      }
      await clock.after(backoff.next(), this.#closed.signal)
    }
  }

  #refused(error: unknown, { content }: Pending): void {
    const code = isKubeError(error) ? error.code : undefined
    this.#log.warn({ err: error, code, reason: content.reason }, 'an event could not be written')
    this.#dropped('refused')
  }

  async #send(key: string, pending: Pending): Promise<void> {
    const written = this.#written.get(key)
    if (written !== undefined && (await this.#countOn(written, pending))) return
    const event = this.#eventOf(pending)
    try {
      await this.#options.client.create(EVENTS, event)
    } catch (error) {
      // No other event has this name: an attempt before, whose answer was lost, has made it.
      if (!isKubeError(error, 'AlreadyExists')) throw error
    }
    const { namespace = '', name = '' } = event.metadata
    this.#remember(key, { namespace, name, count: pending.times })
  }

  /** False when the event has expired in the meantime; servers keep them for an hour. */
  async #countOn(written: Written, pending: Pending): Promise<boolean> {
    const count = written.count + pending.times
    const body = { count, lastTimestamp: seconds(pending.lastAt) }
    try {
      await this.#options.client.patch(EVENTS, written, { type: 'merge', body })
      written.count = count
      return true
    } catch (error) {
      if (!isKubeError(error, 'NotFound')) throw error
      return false
    }
  }

  #remember(key: string, written: Written): void {
    this.#written.delete(key)
    this.#written.set(key, written)
    const oldest = this.#written.keys().next()
    if (this.#written.size > REMEMBERED && !oldest.done) this.#written.delete(oldest.value)
  }

  #eventOf({ name: eventName, about, content, firstAt, lastAt, times }: Pending): KubeEvent {
    const { name = '', namespace = '', uid = '', resourceVersion = '' } = about.metadata
    const { component, instance } = this.#options
    const { action } = content
    return {
      metadata: { namespace: namespace || CLUSTER_NAMESPACE, name: eventName },
      involvedObject: {
        ...(about.apiVersion === undefined ? {} : { apiVersion: about.apiVersion }),
        ...(about.kind === undefined ? {} : { kind: about.kind }),
        ...(namespace === '' ? {} : { namespace }),
        name,
        uid,
        resourceVersion,
      },
      type: content.type,
      reason: content.reason,
      message: shortened(content.message),
      ...(action === undefined ? {} : { action }),
      count: times,
      firstTimestamp: seconds(firstAt),
      lastTimestamp: seconds(lastAt),
      source: { component },
      reportingComponent: component,
      reportingInstance: instance,
    }
  }

  /** Unlike any other: the time in nanoseconds as client-go writes it, with a counter in the digits that the clock lacks. */
  #nameFor(name: string, epochMs: number): string {
    const unique = BigInt(Math.floor(epochMs)) * 1_000_000n + BigInt(this.#names++ % 1_000_000)
    return `${name.slice(0, 230)}.${unique.toString(16)}`
  }
}

export function createEventRecorder(options: EventRecorderOptions): EventRecorder {
  return new Recorder(options)
}
