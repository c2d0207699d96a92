/** Whose lease it is: what quota, lists and stored diagnostics go by. */
import type { Requester } from '../../api/v1alpha1/cluster-lease.ts'

/**
 * The same principal has the same key. The policy is part of it: two policies may both know a `ci`, and neither may see the
 * leases of the other. The matched claim value is not: a principal that moves to another rule keeps its leases.
 */
export function ownerKey({ type, identity }: Requester): string {
  const colon = type.indexOf(':')
  return `${colon === -1 ? type : type.slice(0, colon)}/${identity}`
}
