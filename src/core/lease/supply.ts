/** Free members, handed out one by one and looked at no further than somebody asks: a large pool has far more than a queue takes. */
import type { ClusterLease } from '../../api/v1alpha1/cluster-lease.ts'
import { accepts, type Candidate } from './candidates.ts'

export interface Supply {
  /** Nothing is left for anybody. */
  isEmpty(): boolean
  /** The best one that the lease can use; those before it stay for others. */
  takeFor(lease: ClusterLease): Candidate | undefined
}

/** `candidates`: best first. */
export function createSupply(candidates: Iterable<Candidate>): Supply {
  const source = candidates[Symbol.iterator]()
  /** Looked at, and of no use to who asked. */
  const passedOver: Candidate[] = []
  const pull = (): Candidate | undefined => {
    const { done, value } = source.next()
    return done === true ? undefined : value
  }
  return {
    isEmpty() {
      if (passedOver.length > 0) return false
      const next = pull()
      if (next !== undefined) passedOver.push(next)
      return next === undefined
    },
    takeFor(lease) {
      const place = passedOver.findIndex((candidate) => accepts(lease, candidate))
      if (place >= 0) return passedOver.splice(place, 1)[0]
      for (let next = pull(); next !== undefined; next = pull()) {
        if (accepts(lease, next)) return next
        passedOver.push(next)
      }
      return undefined
    },
  }
}
