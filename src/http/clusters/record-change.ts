/** One audit line for each change of a cluster that was asked for here: who, what, and the request. Never settings or credentials. */
import type { FastifyRequest } from 'fastify'
import type { HttpContext } from '../context.ts'

export interface Change {
  readonly ManagedCluster: string
  /** `create`, `set`, `cancel`, or the type of the operation. */
  readonly change: string
  readonly NodeOperation?: string
}

export function recordChange({ deps, sessions }: HttpContext, request: FastifyRequest, change: Change): void {
  const { policyName, identity } = sessions.principalOf(request)
  deps.log.info({ ...change, requestId: request.id, policy: policyName, identity }, 'change of a cluster')
}
