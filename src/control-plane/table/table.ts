/** Renders objects as a `meta.k8s.io/v1` Table, which is what kubectl asks for when it prints lists. */
import type { PrinterColumn, ResourceDefinition, StoredObject } from '../registry/resource-definition.ts'
import { AGE, NAME } from './column.ts'
import { age } from './human-duration.ts'
import { evaluateJsonPath, type JsonPath, JsonPathError, parseJsonPath } from './json-path.ts'

export interface TableOptions {
  /** What each row carries of its object; `Metadata` is what clients get that do not say. */
  readonly includeObject: 'Metadata' | 'Object' | 'None'
  /** Epoch milliseconds: ages are relative to it. */
  readonly now: number
  /** Metadata of the list (resourceVersion, continue, remainingItemCount); without it a single object's resourceVersion. */
  readonly listMeta?: Readonly<Record<string, unknown>>
  /** False for the events of a watch after the first, which repeat no columns. */
  readonly withColumns: boolean
}

type Cell = string | number | boolean | null

/** Cells of all columns, those for `-o wide` too: the client hides what it does not show. */
export function renderTable(
  definition: ResourceDefinition,
  objects: readonly StoredObject[],
  options: TableOptions,
): Record<string, unknown> {
  const columns = columnsOf(definition)
  const cells = columns.map((column) => cellReader(column))
  return {
    kind: 'Table',
    apiVersion: 'meta.k8s.io/v1',
    metadata: options.listMeta ?? { resourceVersion: objects[0]?.metadata.resourceVersion ?? '' },
    columnDefinitions: options.withColumns ? columns.map(describeColumn) : null,
    rows: objects.map((object) => ({
      cells: cells.map((read) => read(object, options.now)),
      ...rowObject(object, options.includeObject),
    })),
  }
}

/** A custom kind's columns begin with the name; a kind that declares none shows its age. */
function columnsOf({ columns }: ResourceDefinition): readonly PrinterColumn[] {
  if (columns.length === 0) return [NAME, AGE]
  return columns.some(({ format }) => format === 'name') ? columns : [NAME, ...columns]
}

function describeColumn({ name, type, format, description, priority }: PrinterColumn): Record<string, unknown> {
  return { name, type, format: format ?? '', description: description ?? '', priority: priority ?? 0 }
}

function rowObject(object: StoredObject, include: TableOptions['includeObject']): { object?: unknown } {
  if (include === 'None') return { object: null }
  if (include === 'Object') return { object }
  return { object: { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: object.metadata } }
}

function cellReader(column: PrinterColumn): (object: StoredObject, now: number) => Cell {
  if (column.value !== undefined) return column.value
  const path = parsePath(column.jsonPath ?? '')
  const toCell = CELLS[column.type]
  if (path === undefined || toCell === undefined) return () => null
  // Of several values the first is shown.
  return (object, now) => {
    const found = evaluateJsonPath(path, object)
    return found.length === 0 ? null : toCell(found[0], now)
  }
}

/** A path that cannot be parsed shows nothing: the definition was accepted, so listing its objects must still work. */
function parsePath(text: string): JsonPath | undefined {
  try {
    return parseJsonPath(text)
  } catch (error) {
    if (error instanceof JsonPathError) return undefined
    throw error
  }
}

/** A value as the column's type; a value of another type shows nothing. */
const CELLS: Readonly<Record<string, (value: unknown, now: number) => Cell>> = {
  string: (value) => (typeof value === 'string' ? value : printValue(value)),
  integer: (value) => (typeof value === 'number' ? Math.trunc(value) : null),
  number: (value) => (typeof value === 'number' ? value : null),
  boolean: (value) => (typeof value === 'boolean' ? value : null),
  date: (value, now) => (typeof value === 'string' ? age(value, now) : null),
}

function printValue(value: unknown): string | null {
  if (value === null || value === undefined) return null
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
