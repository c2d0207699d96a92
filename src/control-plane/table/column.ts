/** Builders of the columns of built-in kinds. Names, types and fallbacks are those of the real server's printers [k8s printers]. */
import { at, fieldsAt, isFields, listAt, numberAt, textAt } from '../builtin/fields.ts'
import type { PrinterColumn, StoredObject } from '../registry/resource-definition.ts'
import { age } from './human-duration.ts'

type Cell = string | number | boolean | null
type Value = (object: StoredObject, now: number) => Cell

export const NONE = '<none>'
export const UNSET = '<unset>'

export const NAME: PrinterColumn = {
  name: 'Name',
  type: 'string',
  format: 'name',
  value: (object) => object.metadata.name,
}
export const AGE: PrinterColumn = since('Age', 'metadata.creationTimestamp')

export function column(name: string, value: Value, type = 'string'): PrinterColumn {
  return { name, type, value }
}

export function text(name: string, path: string, fallback = ''): PrinterColumn {
  return column(name, (object) => textAt(object, path, fallback))
}

export function integer(name: string, path: string): PrinterColumn {
  return column(name, (object) => numberAt(object, path), 'integer')
}

/** Numbers of a column whose type the real server calls a string. */
export function count(name: string, path: string): PrinterColumn {
  return column(name, (object) => numberAt(object, path))
}

export function since(name: string, path: string, absent = '<unknown>'): PrinterColumn {
  return column(name, (object, now) => (at(object, path) ? age(at(object, path), now) : absent))
}

/** `ready/desired`. */
export function ratio(name: string, ready: string, desired: string): PrinterColumn {
  return column(name, (object) => `${numberAt(object, ready)}/${numberAt(object, desired)}`)
}

/** Shown only with `-o wide`. */
export function wide(...columns: readonly PrinterColumn[]): PrinterColumn[] {
  return columns.map((narrow) => ({ ...narrow, priority: 1 }))
}

/** Names and images of the containers of a pod template. */
export function containers(path: string): PrinterColumn[] {
  const joined = (object: StoredObject, field: string): string =>
    listAt(object, path)
      .map((container) => textAt(container, field))
      .join(',')
  return wide(
    column('Containers', (object) => joined(object, 'name')),
    column('Images', (object) => joined(object, 'image')),
  )
}

export function selector(path: string, name = 'Selector'): PrinterColumn {
  return column(name, (object) => formatLabelSelector(at(object, path)))
}

/** `a=b,c=d`, sorted by key; nothing selected is `<none>`. */
export function formatLabels(labels: unknown): string {
  if (!isFields(labels) || Object.keys(labels).length === 0) return NONE
  return Object.keys(labels)
    .sort()
    .map((key) => `${key}=${String(labels[key])}`)
    .join(',')
}

/** A label selector (`matchLabels`, `matchExpressions`) as the text that `-l` takes. */
export function formatLabelSelector(labelSelector: unknown): string {
  const labels = fieldsAt(labelSelector, 'matchLabels')
  const requirements = [
    ...Object.keys(labels).map((key) => ({ key, text: `${key}=${String(labels[key])}` })),
    ...listAt(labelSelector, 'matchExpressions').map(formatExpression),
  ]
  requirements.sort((left, right) => (left.key < right.key ? -1 : Number(left.key > right.key)))
  return requirements.length === 0 ? NONE : requirements.map((requirement) => requirement.text).join(',')
}

function formatExpression(expression: unknown): { key: string; text: string } {
  const key = textAt(expression, 'key')
  const values = listAt(expression, 'values').map(String).sort().join(',')
  const texts: Readonly<Record<string, string>> = {
    In: `${key} in (${values})`,
    NotIn: `${key} notin (${values})`,
    Exists: key,
    DoesNotExist: `!${key}`,
  }
  return { key, text: texts[textAt(expression, 'operator')] ?? key }
}

/** The first `max` entries, and how many more there are. */
export function listWithMore(entries: readonly string[], max: number): string {
  const shown = entries.slice(0, max).join(',')
  return entries.length > max ? `${shown} + ${entries.length - max} more...` : shown
}

export function hasCondition(object: unknown, type: string): boolean {
  return listAt(object, 'status.conditions').some(
    (condition) => textAt(condition, 'type') === type && textAt(condition, 'status') === 'True',
  )
}
