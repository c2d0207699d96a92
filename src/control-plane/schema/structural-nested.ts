/** Rules inside junctors: they may restrict values, never give structure; and what they restrict must exist outside. */
import { childPath, forbiddenError, indexPath, invalidError, keyPath, requiredError } from './field-error.ts'
import { own } from './json.ts'
import { compilePattern } from './pattern.ts'
import type { FieldError } from './schema.ts'
import { childNode, childNodes, isSet, JUNCTORS, namedNodes, type SchemaNode, textOf } from './schema-node.ts'

const FORBIDDEN: ReadonlyArray<readonly [keyword: string, wanted: string]> = [
  ['type', 'empty'],
  ['additionalProperties', 'undefined'],
  ['default', 'undefined'],
  ['title', 'empty'],
  ['description', 'empty'],
  ['nullable', 'false'],
  ['x-kubernetes-preserve-unknown-fields', 'false'],
  ['x-kubernetes-embedded-resource', 'false'],
  ['x-kubernetes-int-or-string', 'false'],
  ['x-kubernetes-list-map-keys', 'empty'],
  ['x-kubernetes-list-type', 'undefined'],
  ['x-kubernetes-map-type', 'undefined'],
  ['x-kubernetes-validations', 'empty'],
]

/** `skipAnyOf`: the branch's anyOf is the allowed integer-or-string pattern. */
export function checkNested(node: SchemaNode, path: string, skipAnyOf = false): FieldError[] {
  const items = childNode(node, 'items')
  return [
    ...nestedBranches(node, path)
      .filter(({ junctor }) => !(skipAnyOf && junctor === 'anyOf'))
      .flatMap(({ branch, path: branchPath }) => checkNested(branch, branchPath)),
    ...checkPattern(node, path),
    ...(items === undefined ? [] : checkNested(items, childPath(path, 'items'))),
    ...namedNodes(node).flatMap(([name, child]) => checkNested(child, keyPath(childPath(path, 'properties'), name))),
    ...FORBIDDEN.filter(([keyword]) => isGiven(node, keyword)).map(([keyword, wanted]) =>
      forbiddenError(childPath(path, keyword), `must be ${wanted} to be structural`),
    ),
    ...checkNestedMetadata(node, path),
  ]
}

/** For these two, false and null are values like any other. */
function isGiven(node: SchemaNode, keyword: string): boolean {
  const value = own(node, keyword)
  if (keyword === 'default') return value !== undefined && value !== null
  return keyword === 'additionalProperties' ? value !== undefined && value !== null : isSet(value)
}

/** Patterns must be RE2, inside junctors and outside. */
export function checkPattern(node: SchemaNode, path: string): FieldError[] {
  const pattern = textOf(node, 'pattern')
  const problem = pattern === '' ? undefined : compilePattern(pattern).problem
  if (problem === undefined) return []
  const detail = `must be a valid regular expression, but isn't: ${problem}`
  return [invalidError(childPath(path, 'pattern'), pattern, detail)]
}

function checkNestedMetadata(node: SchemaNode, path: string): FieldError[] {
  if (!namedNodes(node).some(([name]) => name === 'metadata')) return []
  return [
    forbiddenError(keyPath(childPath(path, 'properties'), 'metadata'), 'must not be specified in a nested context'),
  ]
}

interface Branch {
  readonly branch: SchemaNode
  readonly junctor: string
  readonly path: string
}

function nestedBranches(node: SchemaNode, path: string): Branch[] {
  const not = childNode(node, 'not')
  return [
    ...(not === undefined ? [] : [{ branch: not, junctor: 'not', path: childPath(path, 'not') }]),
    ...JUNCTORS.flatMap((junctor) =>
      childNodes(node, junctor).map((branch, index) => ({
        branch,
        junctor,
        path: indexPath(childPath(path, junctor), index),
      })),
    ),
  ]
}

/**
 * Every field and item that a junctor of the root speaks about must be specified outside of it. Junctors further inside
 * are not held to this: the real server has always accepted them.
 */
export function checkCompleteness(node: SchemaNode, path: string): FieldError[] {
  return nestedBranches(node, path).flatMap((branch) => checkBranch(branch.branch, node, path, branch.path))
}

function checkBranch(
  branch: SchemaNode,
  structure: SchemaNode | undefined,
  path: string,
  branchPath: string,
): FieldError[] {
  if (structure === undefined) return [requiredError(path, `because it is defined in ${branchPath}`)]
  const items = childNode(branch, 'items')
  return [
    ...nestedBranches(branch, branchPath).flatMap((inner) => checkBranch(inner.branch, structure, path, inner.path)),
    ...(items === undefined
      ? []
      : checkBranch(items, childNode(structure, 'items'), childPath(path, 'items'), childPath(branchPath, 'items'))),
    ...namedNodes(branch).flatMap(([name, child]) => {
      const property = childNode(childNode(structure, 'properties') ?? {}, name)
      const field = keyPath(childPath(path, 'properties'), name)
      return checkBranch(child, property, field, keyPath(childPath(branchPath, 'properties'), name))
    }),
  ]
}
