/**
 * Follows an operation over the nodes of a cluster until it ends. The stream breaks when an operator restarts or hands over, as
 * it may when the run takes down the very node that it runs on: it is opened again, and goes on after what was heard last.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { Answer, KobeApi } from './api.ts'
import { KobeError } from './errors.ts'
import type { ServerEvent } from './event-parser.ts'

export type OperationView = Answer<'getOperation'>
export type OperationNote = Answer<'planRollout'>['notes'][number]

export interface FollowOptions {
  readonly signal?: AbortSignal | undefined
  /** Milliseconds to follow it; absent: until it ends. */
  readonly timeoutMs?: number | undefined
  /** Milliseconds without any answer after which this gives up; default 10 minutes: a server may be rolled with its node. */
  readonly patienceMs?: number | undefined
  /** The operation as it is, then after each change; the same one is never told twice in a row. */
  readonly onOperation?: ((operation: OperationView) => void) | undefined
  readonly onNote?: ((note: OperationNote) => void) | undefined
  /** The connection is lost and tried again; undefined when it is back. */
  readonly onTrouble?: ((error: KobeError | undefined) => void) | undefined
}

const PATIENCE_MS = 10 * 60_000
/** The server says something every 15 s. */
const SILENCE_MS = 45_000
const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 5_000

/** The operation as it ended. Throws `KobeError`: `timeout`, `refused` (404: no such operation), `unreachable` for too long. */
export async function followOperation(api: KobeApi, name: string, options: FollowOptions = {}): Promise<OperationView> {
  const { signal, timeoutMs } = options
  const timeout = timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs)
  const signals = [signal, timeout].filter((one) => one !== undefined)
  const listener = createListener(options)
  try {
    return await follow(api, { name, listener, options, signal: AbortSignal.any(signals) })
  } catch (error) {
    if (timeout?.aborted !== true || signal?.aborted === true) throw error
    throw new KobeError('timeout', `${name} has not ended within ${(timeoutMs ?? 0) / 1000} s`, {
      why: listener.last()?.message,
      fix: 'it goes on without being watched',
    })
  }
}

interface Following {
  readonly name: string
  readonly listener: Listener
  readonly options: FollowOptions
  readonly signal: AbortSignal
}

async function follow(api: KobeApi, { name, listener, options, signal }: Following): Promise<OperationView> {
  const { patienceMs = PATIENCE_MS, onTrouble } = options
  let troubledSince: number | undefined
  for (let attempt = 0; ; attempt += 1) {
    const heardBefore = listener.heard()
    const trouble = await listen(api, name, listener, signal)
    const ended = listener.ended()
    if (ended !== undefined) return ended
    if (listener.heard() > heardBefore) {
      attempt = 0
      troubledSince = undefined
    }
    const now = performance.now()
    troubledSince ??= now
    if (trouble !== undefined) {
      if (now - troubledSince > patienceMs) throw trouble
      onTrouble?.(trouble)
    }
    await pause(pauseMs(attempt), undefined, { signal })
  }
}

/** Spread, as many clients lose their server at once. */
const pauseMs = (attempt: number): number =>
  Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(attempt, 10)) * (0.5 + Math.random() / 2)

/** One connection until it breaks, or until the server lets go of it. Answers what broke it. */
async function listen(
  api: KobeApi,
  name: string,
  { onEvent, lastEventId }: Listener,
  signal: AbortSignal,
): Promise<KobeError | undefined> {
  try {
    const stream = { signal, timeoutMs: SILENCE_MS, lastEventId: lastEventId(), onEvent }
    await api.events('watchOperation', { params: { name } }, stream)
    return undefined
  } catch (error) {
    if (!passes(error)) throw error
    return error
  }
}

/** What another try may cure. A token is looked up on the host API, which may be away for a moment as well. */
function passes(error: unknown): error is KobeError {
  if (!(error instanceof KobeError)) return false
  return error.code === 'unreachable' || error.status === 429 || (error.status ?? 0) >= 500
}

interface Listener {
  onEvent(event: ServerEvent): void
  lastEventId(): string | undefined
  /** How many events were heard. */
  heard(): number
  last(): OperationView | undefined
  /** The operation, once the server said that this is the end. */
  ended(): OperationView | undefined
}

function createListener({ onOperation, onNote, onTrouble }: FollowOptions): Listener {
  let id: string | undefined
  let heard = 0
  let text = ''
  let last: OperationView | undefined
  let over = false
  const told = new Set<string>()
  const note = (data: string): void => {
    // A stream that is opened again may begin with what was said before.
    if (told.has(data)) return
    told.add(data)
    onNote?.(JSON.parse(data))
  }
  const operation = (data: string): void => {
    if (data === text) return
    text = data
    last = JSON.parse(data)
    if (last !== undefined) onOperation?.(last)
  }
  return {
    onEvent(event) {
      if (heard > 0) onTrouble?.(undefined)
      heard += 1
      id = event.id ?? id
      if (event.event === 'operation') operation(event.data)
      if (event.event === 'note') note(event.data)
      if (event.event === 'end') over = true
    },
    lastEventId: () => id,
    heard: () => heard,
    last: () => last,
    // An end without one is that of an operation that was deleted: the next try says that it is not there.
    ended: () => (over && last?.ended === true ? last : undefined),
  }
}
