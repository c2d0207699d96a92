/** One pass over a pool: what it works with, and what it was planned from. */
import type { PoolObserved } from '../../core/pool/observed.ts'
import type { Expectations } from '../../kube/expectations.ts'
import type { ControllerDeps } from '../deps.ts'

export interface PoolPass {
  readonly deps: ControllerDeps
  readonly expectations: Expectations
  readonly observed: PoolObserved
  /** Epoch milliseconds. */
  readonly now: number
}
