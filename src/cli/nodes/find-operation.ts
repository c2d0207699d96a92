/** Which operation a user means: its own name, or the cluster that it holds. */
import type { Answer, KobeApi } from '../../client/api.ts'
import { KobeError } from '../../client/errors.ts'
import { EXIT, UserError } from '../user-error.ts'

export type OperationAnswer = Answer<'getOperation'>

export interface OperationQuery {
  readonly api: KobeApi
  readonly signal: AbortSignal
  /** Also one that has ended, when nothing holds the cluster. */
  readonly orLast: boolean
}

/** A cluster of this name goes first: names of operations begin with the name of their cluster and are longer. */
export async function findOperation(name: string, { api, signal, orLast }: OperationQuery): Promise<OperationAnswer> {
  const holder = await api.call('getCluster', { params: { name } }, { signal }).catch(unknownOnly)
  if (holder === undefined) return await byOwnName(name, { api, signal })
  if (holder.operation !== undefined) {
    return await api.call('getOperation', { params: { name: holder.operation.name } }, { signal })
  }
  const { operations } = await api.call('listOperations', { query: { cluster: name, limit: '1' } }, { signal })
  const [last] = operations
  if (last !== undefined && (orLast || !last.ended)) return last
  throw new UserError(
    orLast ? `nothing was ever done to the nodes of ${name}` : `no operation holds ${name}: it is ${holder.state}`,
    { fix: `\`kobe node plan ${name}\` shows what a rollout would do`, exitCode: EXIT.notFound },
  )
}

async function byOwnName(name: string, { api, signal }: Omit<OperationQuery, 'orLast'>): Promise<OperationAnswer> {
  const found = await api.call('getOperation', { params: { name } }, { signal }).catch(unknownOnly)
  if (found !== undefined) return found
  throw new UserError(`neither a cluster nor an operation is called ${name}`, {
    why: 'or your AccessPolicy does not let you see it',
    fix: '`kobe cluster list` and `kobe node status` show those that you may see',
    exitCode: EXIT.notFound,
  })
}

/** An endpoint that does not know the route at all is another matter. */
function unknownOnly(error: unknown): undefined {
  if (error instanceof KobeError && error.status === 404 && error.reason !== 'route_not_found') return undefined
  throw error
}
