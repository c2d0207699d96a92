/**
 * Client of Kobe for programs.
 *
 * ```ts
 * import { leaseCluster } from 'kobe/client'
 *
 * await using cluster = await leaseCluster({ pool: 'ci-small', ttl: '30m' })
 * process.env.KUBECONFIG = cluster.kubeconfigPath
 * // ... the lease is kept alive here, and given back where the scope ends, however it ends
 * ```
 */
export type {
  Answer,
  CallOptions,
  EventOptions,
  Input,
  KobeApi,
  LeaseDetail,
  LeaseSummary,
  OperationId,
  PoolView,
} from './api.ts'
export { createApi } from './api.ts'
export type { ClientErrorCode } from './errors.ts'
export { CLIENT_ERROR_CODES, KobeError } from './errors.ts'
export type { FollowOptions, OperationNote, OperationView } from './follow-operation.ts'
export { followOperation } from './follow-operation.ts'
export type { LeaseClusterOptions, LeasedCluster } from './lease-cluster.ts'
export { leaseCluster } from './lease-cluster.ts'
export type { ApiTarget } from './transport.ts'
