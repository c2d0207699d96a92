/** A part of an expression after compilation: its type, and a function that computes its value. */
import type { CelType } from './cel-type.ts'
import type { CelValue } from './cel-value.ts'
import type { CostMeter } from './cost.ts'
import type { Issue, Node } from './syntax.ts'

/** The variables of one evaluation. */
export interface Frame {
  readonly slots: Array<CelValue | undefined>
  readonly meter: CostMeter
}

export type Run = (frame: Frame) => CelValue

export interface Compiled {
  readonly type: CelType
  readonly run: Run
}

export interface Variable {
  readonly slot: number
  readonly type: CelType
}

/** Names that are visible at one place. */
export type Scope = ReadonlyMap<string, Variable>

export interface Compiler {
  compile(node: Node, scope: Scope): Compiled
  /** Reports a fault at the operator of `node`; what cannot be compiled fits anywhere. */
  fail(node: Node, message: string): Compiled
  /** The scope with one more variable. */
  declare(scope: Scope, name: string, type: CelType): { readonly scope: Scope; readonly slot: number }
  readonly issues: Issue[]
  /** Runs `compile` where lists and maps may mix types. */
  mixed<T>(compile: () => T): T
  readonly allowsMixed: boolean
  /** Reports what would fail at every evaluation. */
  failAlways(problem: string): void
}
