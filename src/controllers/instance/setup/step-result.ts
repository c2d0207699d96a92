/** What one step inside a member came to. Expected outcomes are values; only bugs are thrown. */
import { KubeError } from '../../../kube/errors.ts'

export type StepResult =
  | { readonly state: 'done' }
  /** Try again later: something is not there yet, or did not answer. */
  | { readonly state: 'waiting'; readonly message: string }
  /** Trying again cannot help. */
  | { readonly state: 'failed'; readonly message: string }

export type UnfinishedStep = Exclude<StepResult, { state: 'done' }>

export const DONE: StepResult = { state: 'done' }

export function waiting(message: string): UnfinishedStep {
  return { state: 'waiting', message }
}

export function failed(message: string): UnfinishedStep {
  return { state: 'failed', message }
}

/** Runs a step. A member that does not answer, or answers with an error nobody expected, is asked again. */
export async function runStep(what: string, step: () => Promise<StepResult>): Promise<StepResult> {
  try {
    return await step()
  } catch (error) {
    if (error instanceof KubeError) return waiting(`${what}: ${error.message}`)
    throw error
  }
}
