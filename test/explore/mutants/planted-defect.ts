/** A defect that is planted to see whether it is caught: one text of one source file, replaced as the file is loaded. */
export interface PlantedDefect {
  /** What the defect does. */
  readonly name: string
  /** The rule or invariant that it breaks, as the contract and the design name it. */
  readonly breaks: string
  /** Relative to the root of the repository. */
  readonly file: string
  /** Must occur in the file exactly once. */
  readonly find: string
  readonly replace: string
  /** Worlds in which it is looked for, in this order. */
  readonly worlds: readonly string[]
}
