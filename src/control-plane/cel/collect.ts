/** What loops make of the elements that they go through. */
import { CelError, noSuchOverload } from './cel-error.ts'
import { type CelValue, ListValue, MapValue } from './cel-value.ts'
import { attempt } from './compile-logical.ts'
import type { Frame, Run } from './compiled.ts'

export interface Element {
  readonly key: CelValue
  readonly item: CelValue
  /** What the variable of a loop with one variable is: a list's item, a map's key. */
  readonly single: CelValue
}

export interface Collector {
  take(body: Run, frame: Frame, element: Element): 'done' | 'more'
  finish(): CelValue
}

export interface Collect {
  readonly result: 'bool' | 'range' | 'list' | 'map' | 'body'
  /** The body is a condition. */
  readonly isCondition: boolean
  start(): Collector
}

function condition(body: Run, frame: Frame): boolean {
  const value = body(frame)
  if (typeof value !== 'boolean') throw noSuchOverload()
  return value
}

/** Ends with the first element whose condition is `deciding`; only without one does a fault matter. */
function quantify(deciding: boolean): Collector {
  let fault: CelError | undefined
  let isDecided = false
  return {
    take(body, frame) {
      const value = attempt(body, frame)
      isDecided = value === deciding
      if (typeof value !== 'boolean') fault ??= value instanceof CelError ? value : noSuchOverload()
      return isDecided ? 'done' : 'more'
    },
    finish() {
      if (!isDecided && fault !== undefined) throw fault
      return isDecided === deciding
    },
  }
}

function countOne(): Collector {
  let count = 0
  return {
    take(body, frame) {
      if (condition(body, frame)) count += 1
      return 'more'
    },
    finish: () => count === 1,
  }
}

function select(): Collector {
  const items: CelValue[] = []
  return {
    take(body, frame, { single }) {
      if (condition(body, frame)) items.push(single)
      return 'more'
    },
    finish: () => new ListValue(items),
  }
}

function listBodies(): Collector {
  const items: CelValue[] = []
  return {
    take(body, frame) {
      items.push(body(frame))
      return 'more'
    },
    finish: () => new ListValue(items),
  }
}

function mapBodies(): Collector {
  const pairs: Array<readonly [CelValue, CelValue]> = []
  return {
    take(body, frame, { key }) {
      pairs.push([key, body(frame)])
      return 'more'
    },
    finish: () => MapValue.of(pairs),
  }
}

/** Joins the maps that the body makes; no key may occur twice. */
function joinEntries(): Collector {
  const entries = new Map<string, readonly [CelValue, CelValue]>()
  return {
    take(body, frame) {
      const value = body(frame)
      if (!(value instanceof MapValue)) throw noSuchOverload()
      for (const [key, pair] of value.entries) {
        if (entries.has(key)) throw new CelError(`insert failed: key ${String(pair[0])} already exists`)
        entries.set(key, pair)
      }
      return 'more'
    },
    finish: () => new MapValue(entries),
  }
}

export const COLLECTORS = {
  all: { result: 'bool', isCondition: true, start: () => quantify(false) },
  exists: { result: 'bool', isCondition: true, start: () => quantify(true) },
  existsOne: { result: 'bool', isCondition: true, start: countOne },
  filter: { result: 'range', isCondition: true, start: select },
  list: { result: 'list', isCondition: false, start: listBodies },
  map: { result: 'map', isCondition: false, start: mapBodies },
  entries: { result: 'body', isCondition: false, start: joinEntries },
} as const satisfies Readonly<Record<string, Collect>>
