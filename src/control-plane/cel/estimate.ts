/** What is known of a part of an expression before it is evaluated. */
import type { CelType } from './cel-type.ts'
import { type Size, UNKNOWN_SIZE } from './size.ts'
import type { Node } from './syntax.ts'

/** Sizes of what is in a list or map. */
export interface EntrySize {
  readonly container: 'list' | 'map'
  readonly key: Size
  readonly value: Size
}

export interface Estimate {
  readonly node: Node
  readonly type: CelType
  /** The most that computing it costs. */
  readonly cost: number
  /** Where it comes from, from a variable on; empty: it is computed. */
  readonly path: readonly string[]
  readonly size?: Size | undefined
  readonly entry?: EntrySize | undefined
}

export const sizeOf = ({ size }: { readonly size?: Size | undefined }): Size => size ?? UNKNOWN_SIZE

/** What a call adds to the cost of its arguments, and the size of what it makes. */
export interface CallEstimate {
  readonly cost: number
  readonly size?: Size
  readonly entry?: EntrySize | undefined
}
