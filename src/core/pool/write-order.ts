/**
 * A plan of a pool as steps, one after the other; what stands in one step may be sent at the same time. The status goes first: it
 * holds the failure records and the highest index, which must never lag behind the acts. New members go last, several at
 * once: they do not depend on each other, and a pool that is used up needs many.
 */
import type { PoolStatus } from '../../api/v1alpha1/cluster-pool.ts'
import type { Plan } from '../plan.ts'
import type { PoolAction } from './action.ts'

export type PoolWrite = PoolAction | { readonly kind: 'WriteStatus'; readonly status: PoolStatus }

const CREATES_AT_ONCE = 8

export function writeOrder({ status, actions }: Plan<PoolAction, PoolStatus>): PoolWrite[][] {
  const creates = actions.filter(({ kind }) => kind === 'CreateInstance')
  const others = actions.filter(({ kind }) => kind !== 'CreateInstance')
  return [[{ kind: 'WriteStatus', status }], ...others.map((action) => [action]), ...batches(creates)]
}

const batches = (creates: readonly PoolAction[]): PoolAction[][] =>
  Array.from({ length: Math.ceil(creates.length / CREATES_AT_ONCE) }, (_unused, batch) =>
    creates.slice(batch * CREATES_AT_ONCE, (batch + 1) * CREATES_AT_ONCE),
  )
