/** How findings about the result of a strategic merge patch show what was sent `[k8s patcher]`. */
import { isObject } from '../schema/json.ts'

/** As Go prints a map: `map[spec:map[replicas:<nil>]]`. */
export function printMap(value: unknown): string {
  if (value === null || value === undefined) return '<nil>'
  if (Array.isArray(value)) return `[${value.map(printMap).join(' ')}]`
  if (!isObject(value)) return String(value)
  const entries = Object.keys(value)
    .sort()
    .map((key) => `${key}:${printMap(value[key])}`)
  return `map[${entries.join(' ')}]`
}
