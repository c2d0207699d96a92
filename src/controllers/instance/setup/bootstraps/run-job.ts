/** The seam to where bootstrap jobs run: on the host cluster, which a member's setup does not see. */
import type { BootstrapJob } from '../../../../api/v1alpha1/bootstrap-config.ts'
import { contentHash } from '../content-hash.ts'
import type { StepResult } from '../step-result.ts'

export interface BootstrapJobRun {
  /** UID of the ClusterInstance: owner of the Job. */
  readonly uid: string
  readonly instance: string
  readonly bootstrap: string
  /** Name of the Job, the same at every call. */
  readonly jobName: string
  /** With the parameters put in. */
  readonly job: BootstrapJob
}

/**
 * Starts the Job unless there is one of this name, and answers how it stands; called again until it is done. `waiting` while it
 * runs, `failed` when it ended badly: it is never tried twice.
 */
export type RunBootstrapJob = (run: BootstrapJobRun) => Promise<StepResult>

/** Names of Jobs become label values of their pods. */
const LONGEST_NAME = 63
const HASH_LENGTH = 8

/** `<instance>-bootstrap-<bootstrap>`; a longer one is cut and told apart by a hash. [C] */
export function bootstrapJobName(instance: string, bootstrap: string): string {
  const name = `${instance}-bootstrap-${bootstrap}`
  if (name.length <= LONGEST_NAME) return name
  const head = name.slice(0, LONGEST_NAME - HASH_LENGTH - 1).replace(/[-.]+$/, '')
  return `${head}-${contentHash(name).slice(0, HASH_LENGTH)}`
}
