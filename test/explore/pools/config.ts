/** A small world: the pool, what may happen in it, and how often. */
import type { PoolSpec } from '../../../src/api/v1alpha1/cluster-pool.ts'
import type { Budget, KindName } from './world.ts'

/** Changes of the spec by a person. */
export type Edit = 'v1' | 'v2' | 'bad' | 'hang' | 'full' | 'pause' | 'resume' | 'grow' | 'shrink'

export interface WorldConfig {
  readonly name: string
  readonly spec: Partial<PoolSpec>
  readonly budget: Partial<Budget>
  /** What a person may change, in any order. */
  readonly edits?: readonly Edit[]
  /** Kinds whose watch may lag. */
  readonly lagging?: readonly KindName[]
  /** Passes that may stand still between their writes. Default: all. */
  readonly pausing?: readonly ('pool' | 'instance' | 'lease')[]
  /** What may be deleted by hand. */
  readonly deletes?: readonly ('pool' | 'instance' | 'lease')[]
  /** The last lease that may be asked for refuses outdated members (of one, that one). */
  readonly freshOnly?: boolean
  /** Leases end by themselves after two ticks. Default: they last. */
  readonly leasesExpire?: boolean
  /** The pool is there, filled and at rest. Default true; false: it was just created. */
  readonly filled?: boolean
}
