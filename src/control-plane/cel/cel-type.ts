/** Types of the expression language: what a schema declares, what functions take and answer. */

export interface CelType {
  readonly kind:
    | 'bool'
    | 'bytes'
    | 'double'
    | 'duration'
    | 'dyn'
    /** The type of what did not compile: fits everywhere, so that one fault is reported once. */
    | 'error'
    | 'int'
    | 'list'
    | 'map'
    | 'null'
    | 'object'
    /** One of a fixed set of values with functions of their own, such as a quantity. */
    | 'opaque'
    | 'optional'
    /** A parameter of a function's signature. */
    | 'param'
    | 'string'
    | 'timestamp'
    | 'type'
    | 'uint'
  /** Of an object, opaque type, or parameter. */
  readonly name?: string
  /** Of a list or optional, or a map's values. */
  readonly item?: CelType
  readonly key?: CelType
  readonly fields?: ReadonlyMap<string, CelType>
}

const simple = <K extends CelType['kind']>(kind: K): CelType & { kind: K } => ({ kind })

export const DYN = simple('dyn')
export const ERROR = simple('error')
export const BOOL = simple('bool')
export const INT = simple('int')
export const UINT = simple('uint')
export const DOUBLE = simple('double')
export const STRING = simple('string')
export const BYTES = simple('bytes')
export const NULL = simple('null')
export const TYPE = simple('type')
export const TIMESTAMP = simple('timestamp')
export const DURATION = simple('duration')

export const listOf = (item: CelType): CelType => ({ kind: 'list', item })
export const mapOf = (key: CelType, item: CelType): CelType => ({ kind: 'map', key, item })
export const optionalOf = (item: CelType): CelType => ({ kind: 'optional', item })
export const itemOf = (type: CelType): CelType => type.item ?? DYN

export const isDynamic = ({ kind }: CelType): boolean => kind === 'dyn' || kind === 'error'

/** As messages show it. */
export function formatType(type: CelType): string {
  switch (type.kind) {
    case 'list':
      return `list(${formatType(itemOf(type))})`
    case 'map':
      return `map(${formatType(type.key ?? DYN)}, ${formatType(itemOf(type))})`
    case 'optional':
      return `optional_type(${formatType(itemOf(type))})`
    case 'error':
      return '!error!'
    default:
      return type.name ?? TYPE_NAMES[type.kind] ?? type.kind
  }
}

const TYPE_NAMES: Readonly<Partial<Record<CelType['kind'], string>>> = {
  timestamp: 'timestamp',
  duration: 'duration',
  null: 'null',
}

/** What each parameter of a signature stands for in one call. */
export type Bindings = Map<string, CelType>

/** Whether a value of type `from` may be used where `to` is asked for. Binds parameters that `to` holds. */
export function isAssignable(from: CelType, to: CelType, bindings?: Bindings): boolean {
  if (to.kind === 'param') return bind(from, to.name ?? '', bindings)
  if (isDynamic(from) || isDynamic(to)) return true
  if (from.kind === 'null') return NULLABLE.has(to.kind)
  if (from.kind !== to.kind) return false
  switch (from.kind) {
    case 'list':
    case 'optional':
      return isAssignable(itemOf(from), itemOf(to), bindings)
    case 'map':
      return isAssignable(from.key ?? DYN, to.key ?? DYN, bindings) && isAssignable(itemOf(from), itemOf(to), bindings)
    case 'object':
    case 'opaque':
      return from.name === to.name
    default:
      return true
  }
}

const NULLABLE: ReadonlySet<CelType['kind']> = new Set(['null', 'object', 'opaque', 'timestamp', 'duration'])

function bind(from: CelType, name: string, bindings: Bindings | undefined): boolean {
  const bound = bindings?.get(name)
  if (bound === undefined || (isDynamic(bound) && !isDynamic(from))) {
    bindings?.set(name, from)
    return true
  }
  return isAssignable(from, bound) || isAssignable(bound, from)
}

/** The type with its parameters replaced by what they are bound to. */
export function substitute(type: CelType, bindings: Bindings): CelType {
  if (type.kind === 'param') return bindings.get(type.name ?? '') ?? DYN
  if (type.item === undefined) return type
  const item = substitute(type.item, bindings)
  return type.key === undefined ? { ...type, item } : { ...type, item, key: substitute(type.key, bindings) }
}

/** The type of a value that is of the one or the other; undefined when nothing covers both. */
export function joinTypes(left: CelType, right: CelType): CelType | undefined {
  if (isDynamic(left)) return left
  if (isDynamic(right)) return right
  if (isAssignable(right, left)) return left
  return isAssignable(left, right) ? right : undefined
}

const SIMPLE: Readonly<Record<string, CelType>> = {
  bool: BOOL,
  bytes: BYTES,
  double: DOUBLE,
  duration: DURATION,
  dyn: DYN,
  int: INT,
  null: NULL,
  string: STRING,
  timestamp: TIMESTAMP,
  type: TYPE,
  uint: UINT,
}

/** Reads `int`, `list<A>`, `map<string, int>`, `optional<A>`, a parameter (one capital letter) or an opaque name. */
export function parseType(text: string): CelType {
  const known = SIMPLE[text]
  if (known !== undefined) return known
  if (/^[A-Z]$/.test(text)) return { kind: 'param', name: text }
  const [, outer, inner = ''] = /^(list|map|optional)<(.+)>$/.exec(text) ?? []
  if (outer === undefined) return { kind: 'opaque', name: text }
  if (outer !== 'map') return outer === 'list' ? listOf(parseType(inner)) : optionalOf(parseType(inner))
  const comma = inner.indexOf(',')
  return mapOf(parseType(inner.slice(0, comma).trim()), parseType(inner.slice(comma + 1).trim()))
}
