/**
 * JSON patch (RFC 6902) as the real API server applies it. Where its library departs from the RFC, so does this:
 * `replace` of an absent object field adds it, negative array indices count from the end, a missing `value` is null,
 * and `test` of an absent field against null holds.
 */
import { cloneJson, equalJson, isDeeperThan, isObject, type JsonObject, MAX_DEPTH, setOwn } from '../schema/json.ts'
import { decodeOperations, type Operation, splitPointer } from './json-patch-operation.ts'
import { PatchError } from './patch-error.ts'

/** Copied values may add up to this many bytes, so that copies of copies cannot grow without bound. */
const MAX_COPIED_BYTES = 3 * 1024 * 1024

/** Answers the patched copy; `doc` is left alone. Throws `PatchError`. `ops` is the parsed body of the request. */
export function applyJsonPatch(doc: unknown, ops: unknown): unknown {
  const state: State = { root: cloneJson(doc), copiedBytes: 0 }
  for (const operation of decodeOperations(ops)) APPLY[operation.op](state, operation)
  if (isDeeperThan(state.root, MAX_DEPTH)) {
    throw new PatchError('Invalid', `the patched document must not be nested deeper than ${MAX_DEPTH} levels`)
  }
  return state.root
}

interface State {
  root: unknown
  copiedBytes: number
}

const APPLY: Readonly<Record<Operation['op'], (state: State, operation: Operation) => void>> = {
  add(state, { path, value }) {
    const target = locate(state, path) ?? missing(`add operation does not apply: doc is missing path: "${path}"`)
    addTo(target, cloneJson(value), `error in add for path: '${path}'`)
  },
  remove(state, { path }) {
    const target = locate(state, path) ?? missing(`remove operation does not apply: doc is missing path: "${path}"`)
    removeFrom(target, `error in remove for path: '${path}'`)
  },
  replace(state, { path, value }) {
    if (path === '') return replaceRoot(state, value)
    const target = locate(state, path) ?? missing(`replace operation does not apply: doc is missing path: ${path}`)
    replaceAt(target, cloneJson(value), path)
  },
  move(state, { path, from = '' }) {
    const source = locate(state, from) ?? missing(`move operation does not apply: doc is missing from path: ${from}`)
    const context = `error in move for path: '${source.key}'`
    const value = read(source, context)
    removeFrom(source, context)
    const target =
      locate(state, path) ?? missing(`move operation does not apply: doc is missing destination path: ${path}`)
    addTo(target, value ?? null, `error in move for path: '${path}'`)
  },
  copy(state, { path, from = '' }) {
    const source = locate(state, from) ?? missing(`copy operation does not apply: doc is missing from path: ${from}`)
    const value = read(source, `error in copy for from: '${from}'`) ?? null
    const target =
      locate(state, path) ?? missing(`copy operation does not apply: doc is missing destination path: ${path}`)
    countCopy(state, value)
    addTo(target, cloneJson(value), 'error while adding value during copy')
  },
  test(state, { path, value }) {
    const actual = path === '' ? state.root : readTested(state, path)
    if (!equalJson(actual ?? null, value))
      throw new PatchError('TestFailed', `testing value ${path} failed: test failed`)
  },
}

function readTested(state: State, path: string): unknown {
  const target = locate(state, path) ?? missing(`test operation does not apply: is missing path: ${path}`)
  return read(target, `error in test for path: '${path}'`)
}

/** The container that a pointer's last token refers into. */
interface Target {
  readonly container: JsonObject | unknown[]
  readonly key: string
}

function locate(state: State, path: string): Target | undefined {
  const tokens = splitPointer(path)
  const key = tokens.pop()
  if (key === undefined) return undefined
  let container = state.root
  for (const token of tokens) container = stepInto(container, token)
  return isObject(container) || Array.isArray(container) ? { container, key } : undefined
}

function stepInto(container: unknown, token: string): unknown {
  if (Array.isArray(container)) {
    const index = parseIndex(token)
    return index === undefined ? undefined : container.at(index)
  }
  return isObject(container) && Object.hasOwn(container, token) ? container[token] : undefined
}

function read({ container, key }: Target, context: string): unknown {
  if (Array.isArray(container)) return container[existingIndex(container, key, context)]
  return Object.hasOwn(container, key) ? container[key] : undefined
}

function addTo({ container, key }: Target, value: unknown, context: string): void {
  if (!Array.isArray(container)) setOwn(container, key, value)
  else if (key === '-') container.push(value)
  else insert(container, key, value, context)
}

function insert(container: unknown[], key: string, value: unknown, context: string): void {
  const index = parseIndex(key)
  if (index === undefined) throw notAnIndex(key, `${context}: value was not a proper array index: '${key}'`)
  if (index > container.length || index < -container.length - 1) throw badIndex(index, context)
  container.splice(index < 0 ? index + container.length + 1 : index, 0, value)
}

function removeFrom({ container, key }: Target, context: string): void {
  if (Array.isArray(container)) {
    container.splice(existingIndex(container, key, context), 1)
    return
  }
  if (!Object.hasOwn(container, key)) missing(`${context}: Unable to remove nonexistent key: ${key}`)
  delete container[key]
}

function replaceAt({ container, key }: Target, value: unknown, path: string): void {
  if (!Array.isArray(container)) {
    setOwn(container, key, value)
    return
  }
  const index = parseIndex(key)
  if (index === undefined || index >= container.length || index < -container.length) {
    throw invalid(`replace operation does not apply: doc is missing key: ${path}: missing value`)
  }
  container[index < 0 ? index + container.length : index] = value
}

function replaceRoot(state: State, value: unknown): void {
  if (!isObject(value) && !Array.isArray(value)) throw invalid('replace operation value must be object or array')
  state.root = cloneJson(value)
}

function existingIndex(container: readonly unknown[], key: string, context: string): number {
  const index = parseIndex(key)
  if (index === undefined) throw notAnIndex(key, context)
  if (index >= container.length || index < -container.length) throw badIndex(index, context)
  return index < 0 ? index + container.length : index
}

function parseIndex(token: string): number | undefined {
  return /^[+-]?\d{1,15}$/.test(token) ? Number(token) : undefined
}

function countCopy(state: State, value: unknown): void {
  state.copiedBytes += Buffer.byteLength(JSON.stringify(value))
  if (state.copiedBytes <= MAX_COPIED_BYTES) return
  throw invalid(
    `Unable to complete the copy, the accumulated size increase of copy is ${state.copiedBytes}, exceeding the limit ${MAX_COPIED_BYTES}`,
  )
}

function notAnIndex(key: string, context: string): PatchError {
  return invalid(`${context}: strconv.Atoi: parsing ${JSON.stringify(key)}: invalid syntax`)
}

function badIndex(index: number, context: string): PatchError {
  return invalid(`${context}: Unable to access invalid index: ${index}: invalid index referenced`)
}

function missing(message: string): never {
  throw invalid(`${message}: missing value`)
}

function invalid(message: string): PatchError {
  return new PatchError('Invalid', message)
}
