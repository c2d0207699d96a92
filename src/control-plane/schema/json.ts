/** Plain JSON values: own-property access, copying, comparing. Safe for keys such as `__proto__` and for deep nesting. */

export type JsonObject = Record<string, unknown>

/**
 * How deep a value may nest before these functions stop descending. Real objects stay under 50 levels; the limit keeps
 * a hostile body from overflowing the stack.
 */
export const MAX_DEPTH = 400

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The field of that name, never one inherited from `Object.prototype`. */
export function own<T>(object: Readonly<Record<string, T>> | undefined, key: string): T | undefined {
  return object !== undefined && Object.hasOwn(object, key) ? object[key] : undefined
}

/** Sets a field as data. Plain assignment to `__proto__` would change the prototype instead. */
export function setOwn(object: JsonObject, key: string, value: unknown): void {
  if (key === '__proto__') {
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true })
  } else {
    object[key] = value
  }
}

/** A deep copy. Values nested deeper than `MAX_DEPTH` are shared, not copied: callers refuse such bodies first. */
export function cloneJson<T>(value: T): T {
  return cloneAt(value, 0) as T
}

function cloneAt(value: unknown, depth: number): unknown {
  if (depth > MAX_DEPTH || typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item) => cloneAt(item, depth + 1))
  const copy: JsonObject = {}
  for (const key of Object.keys(value)) setOwn(copy, key, cloneAt((value as JsonObject)[key], depth + 1))
  return copy
}

/** Deep equality of JSON values; the order of an object's keys does not matter. */
export function equalJson(left: unknown, right: unknown, depth = 0): boolean {
  if (Object.is(left, right) || left === right) return true
  if (depth > MAX_DEPTH) return false
  if (Array.isArray(left)) {
    return (
      Array.isArray(right) &&
      left.length === right.length &&
      left.every((item, index) => equalJson(item, right[index], depth + 1))
    )
  }
  if (!isObject(left) || !isObject(right)) return false
  const keys = Object.keys(left)
  return (
    keys.length === Object.keys(right).length &&
    keys.every((key) => Object.hasOwn(right, key) && equalJson(left[key], right[key], depth + 1))
  )
}

/** Whether the value nests deeper than `limit` containers. Never recurses deeper than that, so it is safe on any input. */
export function isDeeperThan(value: unknown, limit: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (limit <= 0) return true
  if (Array.isArray(value)) return value.some((item) => isDeeperThan(item, limit - 1))
  for (const key in value) {
    if (Object.hasOwn(value, key) && isDeeperThan((value as JsonObject)[key], limit - 1)) return true
  }
  return false
}

/** One text per JSON value, equal exactly when the values are; for use as a map key. */
export function canonicalJson(value: unknown, depth = 0): string {
  if (Array.isArray(value) && depth <= MAX_DEPTH) {
    return `[${value.map((item) => canonicalJson(item, depth + 1)).join(',')}]`
  }
  if (isObject(value) && depth <= MAX_DEPTH) {
    const fields = Object.keys(value)
      .sort()
      .map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key], depth + 1)}`)
    return `{${fields.join(',')}}`
  }
  return JSON.stringify(value) ?? 'null'
}
