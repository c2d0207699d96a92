/** The Secret with the token of one lease: created once, deleted when the lease ends, collected with the lease at the latest. */
import { SECRETS, type Secret } from '../../api/core-resources.ts'
import { apiVersionOf } from '../../api/resource.ts'
import type { ClusterLease } from '../../api/v1alpha1/cluster-lease.ts'
import { CONNECT_TOKEN_KEY, connectTokenSecretName, Label, OPERATOR_NAME } from '../../api/v1alpha1/labels.ts'
import { CLUSTER_LEASES } from '../../api/v1alpha1/resources.ts'
import { isKubeError } from '../../kube/errors.ts'
import type { ControllerDeps } from '../deps.ts'

const TOKEN_BYTES = 32

export async function createConnectToken(deps: ControllerDeps, lease: ClusterLease): Promise<void> {
  try {
    await deps.client.create(SECRETS, renderToken(lease, deps.random.hex(TOKEN_BYTES)))
  } catch (error) {
    // Somebody (the HTTP API, or ourselves before a crash) was first: that token is the one that counts.
    if (!isKubeError(error, 'AlreadyExists')) throw error
  }
}

export async function deleteConnectToken({ client }: ControllerDeps, lease: ClusterLease): Promise<void> {
  const { namespace, name = '' } = lease.metadata
  const ref = { name: connectTokenSecretName(name), ...(namespace === undefined ? {} : { namespace }) }
  try {
    await client.delete(SECRETS, ref)
  } catch (error) {
    if (!isKubeError(error, 'NotFound')) throw error
  }
}

function renderToken({ metadata }: ClusterLease, token: string): Secret {
  const { namespace, name = '', uid = '' } = metadata
  return {
    metadata: {
      name: connectTokenSecretName(name),
      ...(namespace === undefined ? {} : { namespace }),
      labels: { [Label.managedBy]: OPERATOR_NAME },
      ownerReferences: [
        { apiVersion: apiVersionOf(CLUSTER_LEASES), kind: CLUSTER_LEASES.kind, name, uid, controller: false },
      ],
    },
    type: 'Opaque',
    data: { [CONNECT_TOKEN_KEY]: Buffer.from(token).toString('base64') },
  }
}
