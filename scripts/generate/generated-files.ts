/** What a generator answers: the whole content of each file, by path from the root of the repository. */
export type GeneratedFiles = ReadonlyMap<string, string>

export interface Generator {
  readonly name: string
  /** Folders in which nothing but the files of this generator may lie. */
  readonly owns?: readonly string[]
  run(): GeneratedFiles | Promise<GeneratedFiles>
}
