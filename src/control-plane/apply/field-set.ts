/**
 * A set of fields of an object, as a tree of path elements. A node that is a member stands for the field (or item) at
 * its path; one that is not only leads to members below. Sets are values: no operation changes one.
 */
import { compareElements, type PathElement } from './path-element.ts'

export interface FieldSet {
  readonly member: boolean
  readonly children: ReadonlyMap<PathElement, FieldSet> | undefined
}

export const NO_FIELDS: FieldSet = { member: false, children: undefined }
/** A member with nothing below. */
export const LEAF: FieldSet = { member: true, children: undefined }

type Children = ReadonlyMap<PathElement, FieldSet>
const NONE: Children = new Map()

export function isEmptySet(set: FieldSet): boolean {
  return !set.member && (set.children === undefined || set.children.size === 0)
}

/** What is in either. */
export function unionOf(left: FieldSet, right: FieldSet): FieldSet {
  if (right.children === undefined && right.member === false) return left
  if (left.children === undefined && left.member === false) return right
  const children = new Map(left.children ?? NONE)
  for (const [element, child] of right.children ?? NONE) {
    const known = children.get(element)
    children.set(element, known === undefined ? child : unionOf(known, child))
  }
  return node(left.member || right.member, children)
}

/** What is in both. */
export function intersectionOf(left: FieldSet, right: FieldSet): FieldSet {
  return node(left.member && right.member, filterChildren(left, right, intersectionWith))
}

const intersectionWith = (child: FieldSet, other: FieldSet | undefined): FieldSet =>
  other === undefined ? NO_FIELDS : intersectionOf(child, other)

/** What is in `left` and not in `right`. Taking a field away leaves what is below it. */
export function differenceOf(left: FieldSet, right: FieldSet): FieldSet {
  if (isApart(left, right)) return left
  return node(left.member && !right.member, filterChildren(left, right, differenceWith))
}

const differenceWith = (child: FieldSet, other: FieldSet | undefined): FieldSet =>
  other === undefined ? child : differenceOf(child, other)

/** What is in `left` and neither in `right` nor below something in `right`. */
export function withoutBranches(left: FieldSet, right: FieldSet): FieldSet {
  if (isApart(left, right)) return left
  return node(left.member && !right.member, filterChildren(left, right, branchWithout))
}

function branchWithout(child: FieldSet, other: FieldSet | undefined): FieldSet {
  if (other === undefined) return child
  return other.member ? NO_FIELDS : withoutBranches(child, other)
}

/** Nothing of one can be in the other: the usual case, in which nothing needs to be made. */
function isApart(left: FieldSet, right: FieldSet): boolean {
  if (left.member && right.member) return false
  if (left.children === undefined || right.children === undefined) return true
  for (const element of right.children.keys()) if (left.children.has(element)) return false
  return true
}

type Combine = (child: FieldSet, other: FieldSet | undefined) => FieldSet

function filterChildren(left: FieldSet, right: FieldSet, combine: Combine): Children | undefined {
  if (left.children === undefined) return undefined
  const children = new Map<PathElement, FieldSet>()
  for (const [element, child] of left.children) {
    const kept = combine(child, right.children?.get(element))
    if (!isEmptySet(kept)) children.set(element, kept)
  }
  return children
}

function node(member: boolean, children: Children | undefined): FieldSet {
  if (children !== undefined && children.size > 0) return { member, children }
  return member ? LEAF : NO_FIELDS
}

export function hasPath(set: FieldSet, path: readonly PathElement[]): boolean {
  let at: FieldSet | undefined = set
  for (const element of path) at = at?.children?.get(element)
  return at?.member === true
}

/** Every member's path: those of one level before those below it, in the order of their elements. */
export function pathsOf(set: FieldSet, prefix: readonly PathElement[] = []): PathElement[][] {
  const children = sortedChildren(set)
  const here = children.filter(([, child]) => child.member).map(([element]) => [...prefix, element])
  return [...here, ...children.flatMap(([element, child]) => pathsOf(child, [...prefix, element]))]
}

export function sortedChildren(set: FieldSet): Array<[PathElement, FieldSet]> {
  const { children = NONE } = set
  if (children.size < 2) return [...children]
  const elements = [...children.keys()]
  const areFields = elements.every((element) => element.startsWith('f:'))
  if (areFields) elements.sort()
  else elements.sort(compareElements)
  return elements.map((element) => [element, children.get(element) ?? NO_FIELDS])
}

interface MutableNode {
  member: boolean
  children: Map<PathElement, FieldSet> | undefined
}

/** Collects a set path by path. */
export class FieldSetBuilder {
  readonly #root: MutableNode = { member: false, children: undefined }
  /** Nodes made here, which may still change; others are shared with other sets. */
  readonly #own = new Set<FieldSet>([this.#root])

  get set(): FieldSet {
    return this.#root
  }

  get isEmpty(): boolean {
    return this.#root.children === undefined
  }

  /** Adds the field at `path`, or everything in `branch` there. The whole object, at the empty path, is never a member. */
  add(path: readonly PathElement[], branch: FieldSet = LEAF): void {
    const last = path.at(-1)
    if (last === undefined) return
    let at = this.#root
    for (const element of path.slice(0, -1)) at = this.#descend(at, element)
    at.children ??= new Map()
    const known = at.children.get(last)
    at.children.set(last, known === undefined ? branch : unionOf(known, branch))
  }

  #descend(parent: MutableNode, element: PathElement): MutableNode {
    parent.children ??= new Map()
    const known = parent.children.get(element)
    if (known !== undefined && this.#own.has(known)) return known as MutableNode
    const children = known?.children === undefined ? undefined : new Map(known.children)
    const made: MutableNode = { member: known?.member ?? false, children }
    this.#own.add(made)
    parent.children.set(element, made)
    return made
  }
}

/** For tables of paths: `fieldSetOf([['f:spec'], ['f:metadata', 'f:name']])`. */
export function fieldSetOf(paths: ReadonlyArray<readonly PathElement[]>): FieldSet {
  const builder = new FieldSetBuilder()
  for (const path of paths) builder.add(path)
  return builder.set
}
