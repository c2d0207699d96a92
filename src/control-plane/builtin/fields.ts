/** Reads fields of objects whose shape is not known to the compiler. Only own properties; absent or of another type: the fallback. */

export type Fields = Record<string, unknown>

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Dotted paths, split once: they are constants of the code, so there are not many, and they are read for every write. */
const splitPaths = new Map<string, readonly string[]>()

function namesOf(path: string): readonly string[] {
  const known = splitPaths.get(path)
  if (known !== undefined) return known
  const names = path.split('.')
  splitPaths.set(path, names)
  return names
}

/** What is at a dotted path of plain names (`spec.template.spec`), or undefined. `path` must not come from a client. */
export function at(value: unknown, path: string): unknown {
  let current = value
  for (const name of namesOf(path)) {
    if (!isFields(current) || !Object.hasOwn(current, name)) return undefined
    current = current[name]
  }
  return current
}

export function textAt(value: unknown, path: string, fallback = ''): string {
  const found = at(value, path)
  return typeof found === 'string' && found !== '' ? found : fallback
}

export function numberAt(value: unknown, path: string, fallback = 0): number {
  const found = at(value, path)
  return typeof found === 'number' ? found : fallback
}

export function listAt(value: unknown, path: string): unknown[] {
  const found = at(value, path)
  return Array.isArray(found) ? found : []
}

export function fieldsAt(value: unknown, path: string): Fields {
  const found = at(value, path)
  return isFields(found) ? found : {}
}

/** Sets a field that is absent or null. */
export function setDefault(fields: Fields, name: string, value: unknown): void {
  if (fields[name] === undefined || fields[name] === null) fields[name] = value
}

/** The object below `name`, made if it is absent. Another type's value is left for validation; a detached object is answered then. */
export function ensureFields(fields: Fields, name: string): Fields {
  setDefault(fields, name, {})
  const found = fields[name]
  return isFields(found) ? found : {}
}
