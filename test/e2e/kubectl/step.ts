/** What the script of commands is made of. */

/** Commands of one subject, in order, in a namespace of their own: `k-<name>`, which is the default of each command. */
export interface Topic {
  /** File name of its recording. */
  readonly name: string
  readonly steps: readonly Step[]
}

export interface Step {
  /** A line for /bin/sh in a directory that holds copies of the manifests; `$NS` is the topic's namespace. */
  readonly run: string
  /** The command goes on (a watch): the change is made once it watches, and it ends once `until` was printed. */
  readonly watch?: { readonly change: string; readonly until: string }
  /** Rows come in no order that the server promises. */
  readonly unordered?: boolean
  /** Why our answer is another one, as the reference of differences tells. A test sees that it still is. */
  readonly differs?: string
  /** What is missing before the answer can be compared; until then the command is only run. */
  readonly waiting?: string
}

export type StepOptions = Omit<Step, 'run'>

/** A step by its command line alone, or with options. */
export type ShortStep = string | readonly [run: string, options: StepOptions]

export function topic(name: string, steps: readonly ShortStep[]): Topic {
  return { name, steps: steps.map(fullStep) }
}

function fullStep(step: ShortStep): Step {
  return typeof step === 'string' ? { run: step } : { run: step[0], ...step[1] }
}
