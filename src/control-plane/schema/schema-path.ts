/** Finds the schema at a path such as `.spec.replicas` or `.metadata['x.y']`, as CEL field paths and selectable fields use. */
import { own } from './json.ts'
import { childNode, namedNodes, type SchemaNode } from './schema-node.ts'

export interface FoundPath {
  /** The field names on the way. */
  readonly segments: readonly string[]
  /** Undefined where anything goes (`additionalProperties: true`), and with a problem. */
  readonly schema: SchemaNode | undefined
  /** Why the path is not valid, if so. */
  readonly problem?: string
}

const TOKEN = /'(?:\\.|[^'\\])*'|[.[\]]|[^.[\]]+/gs

/** `arrayNotation` false: `['x']` is refused. */
export function findFieldPath(root: SchemaNode, path: string, arrayNotation = true): FoundPath {
  const tokens = path.match(TOKEN) ?? []
  const segments: string[] = []
  let schema: SchemaNode | undefined = root
  for (let position = 0; position < tokens.length; ) {
    const step = readStep(tokens, position, arrayNotation)
    if (typeof step === 'string') return { segments, schema: undefined, problem: step }
    const next: SchemaNode | 'none' | undefined = schema === undefined ? undefined : stepInto(schema, step.name)
    if (next === 'none') return { segments, schema: undefined, problem: 'does not refer to a valid field' }
    segments.push(step.name)
    schema = next
    position = step.end
  }
  return { segments, schema }
}

interface Step {
  readonly name: string
  readonly end: number
}

/** `.name` or `['name']`; a text says what is wrong. */
function readStep(tokens: readonly string[], position: number, arrayNotation: boolean): Step | string {
  const [start = '', name, close] = tokens.slice(position, position + 3)
  if (start !== '.' && start !== '[') return `expected [ or . but got: ${start}`
  if (start === '[' && !arrayNotation) return 'array notation is not allowed'
  if (name === undefined) return 'unexpected end of JSON path'
  if (start === '.') return { name, end: position + 2 }
  if (!/^'.*'$/s.test(name)) return `expected single quoted string but got ${name}`
  if (close !== ']') return close === undefined ? 'unexpected end of JSON path' : `expected ] but got ${close}`
  return { name: name.slice(1, -1).replace(/\\(.)/gs, '$1'), end: position + 3 }
}

function stepInto(schema: SchemaNode, name: string): SchemaNode | 'none' | undefined {
  if (namedNodes(schema).length > 0) return childNode(childNode(schema, 'properties') ?? {}, name) ?? 'none'
  const rest = own(schema, 'additionalProperties')
  if (rest === undefined || rest === null) return 'none'
  return childNode(schema, 'additionalProperties')
}
