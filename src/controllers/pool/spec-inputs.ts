/**
 * What went into the spec hashes of each pool, kept in memory so that a change can be spelled out. After a restart the digests
 * in the status still say which source changed.
 */
import type { ClusterPool } from '../../api/v1alpha1/cluster-pool.ts'
import { explainDrift, type InputChange, type SpecHashInputs } from '../../core/pool/spec-hash.ts'
import { objectKey } from '../../kube/object-key.ts'

export interface SpecInputs {
  /** Remembers the inputs; answers how they differ from those of `status.currentSpecHash`, when those are known and differ. */
  compare(pool: ClusterPool, hash: string, inputs: SpecHashInputs): InputChange[] | undefined
  /** The pool is gone. */
  forget(key: string): void
}

/** The template of before and the present one. */
const KEPT = 2

export function createSpecInputs(): SpecInputs {
  const known = new Map<string, ReadonlyMap<string, SpecHashInputs>>()
  return {
    compare(pool, hash, inputs) {
      const key = objectKey(pool)
      const before = known.get(key) ?? new Map<string, SpecHashInputs>()
      const others = [...before].filter(([other]) => other !== hash)
      known.set(key, new Map([...others.slice(1 - KEPT), [hash, inputs]]))
      const current = pool.status?.currentSpecHash
      const old = current === undefined || current === hash ? undefined : before.get(current)
      return old === undefined ? undefined : explainDrift(old, inputs)
    },
    forget: (key) => {
      known.delete(key)
    },
  }
}
