/**
 * What the explorer needs to know of a world. A state is an immutable value; `encode` maps it to a text in which names, UIDs,
 * versions and absolute times do not appear, so that states that differ in nothing that matters are one. What is left out of
 * the text can only merge states, never invent one: every violation comes with a trace that really happens.
 */

export interface Step<State> {
  /** For a person: what happens, in words. */
  readonly label: string
  /**
   * True for what goes on when nobody disturbs: passes of controllers, progress of clusters, time. False for faults and for what
   * users do; these stop when it is asked whether the world comes to rest.
   */
  readonly fair: boolean
  readonly next: State
}

interface Judged<State> {
  readonly name: string
  readonly initial: () => State
  readonly encode: (state: State) => string
  /** What is wrong with the state, or was wrong in the step that led to it: `I1: sentence`. */
  readonly violations: (state: State) => readonly string[]
  /** `yes`: reality matches the wish. `excused`: the wish itself cannot be met. Otherwise what is missing. */
  readonly match: (state: State) => 'yes' | 'excused' | { readonly missing: string }
  /** Checked where only no-op steps are left; what is wrong with resting here. */
  readonly atRest: (state: State) => readonly string[]
  /** The wish, and what the world looks like at rest: equal wishes must give equal ends (I13). */
  readonly ending: (state: State) => { readonly wish: string; readonly end: string }
}

export interface Model<State> extends Judged<State> {
  /** Every step that is possible, always in the same order. */
  readonly steps: (state: State) => Iterable<Step<State>>
}

/** A model whose steps run code that waits for answers. They depend on the state alone all the same. */
export interface WaitingModel<State> extends Judged<State> {
  readonly steps: (state: State) => Promise<Iterable<Step<State>>>
}

export type AnyModel<State> = Model<State> | WaitingModel<State>

export interface Violation {
  readonly rule: string
  readonly message: string
  /** From the initial state, one line per step. */
  readonly trace: readonly string[]
}

export interface Exploration {
  readonly model: string
  readonly states: number
  readonly transitions: number
  readonly depth: number
  /** False: stopped at the bound before every state was seen. */
  readonly complete: boolean
  readonly violations: readonly Violation[]
  /** False when the question was not asked, as the graph is not complete or already in error. */
  readonly esr: boolean
  readonly restingStates: number
  readonly milliseconds: number
}
