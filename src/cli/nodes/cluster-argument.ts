/** Arguments that name a cluster, or what goes on in it. */
import type { ArgumentDefinition } from '../define-command.ts'

export const CLUSTER_ARGUMENT: ArgumentDefinition = {
  name: 'cluster',
  description: 'name of the cluster',
  required: true,
  complete: 'cluster',
}

export const OPERATION_ARGUMENT: ArgumentDefinition = {
  name: 'operation-or-cluster',
  description: 'name of the operation, or of the cluster that it holds',
  required: true,
  complete: 'operation',
}
