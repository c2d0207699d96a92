/** The readiness gates that a member must pass: those of its pool as it is now, as gates do not belong to the spec hash. */
import type { ReadinessGate } from '../../api/v1alpha1/pool-policy.ts'
import type { InstanceObserved } from './observed.ts'

type Asked = Pick<InstanceObserved, 'instance' | 'pool' | 'defaultGates'>

/** A list that names any replaces the defaults of the backend. [C] */
export function requiredGates({ instance, pool, defaultGates = [] }: Asked): readonly ReadinessGate[] {
  const { readinessGates } = pool.state === 'found' ? pool.pool.spec : instance.spec
  return readinessGates.length > 0 ? readinessGates : defaultGates
}
