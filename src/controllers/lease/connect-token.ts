/** The Secret with the token of one lease: created once, deleted when the lease ends, collected with the lease at the latest. */
import { SECRETS, type Secret } from '../../api/core-resources.ts'
import { apiVersionOf } from '../../api/resource.ts'
import type { ClusterLease } from '../../api/v1alpha1/cluster-lease.ts'
import { CONNECT_TOKEN_KEY, connectTokenSecretName, Label, OPERATOR_NAME } from '../../api/v1alpha1/labels.ts'
import { CLUSTER_LEASES } from '../../api/v1alpha1/resources.ts'
import type { ObjectRef } from '../../kube/client.ts'
import { isKubeError } from '../../kube/errors.ts'
import { fenceOf } from '../../kube/fenced-patch.ts'
import type { ControllerDeps } from '../deps.ts'

const TOKEN_BYTES = 32

export async function createConnectToken(deps: ControllerDeps, lease: ClusterLease): Promise<void> {
  const { client, own, random } = deps
  try {
    await client.create(SECRETS, renderToken(lease, random.hex(TOKEN_BYTES)))
  } catch (error) {
    if (!isKubeError(error, 'AlreadyExists')) throw error
    const present = await client.get(SECRETS, tokenRef(lease))
    // Ourselves, before a crash or a lost answer: that token is the one that counts.
    if (!isTokenOf(present, lease)) await replaceForeign(deps, present, lease)
  }
  own.tokens.created(lease.metadata.uid ?? '')
}

/** An earlier lease of the same name left it: whoever held that lease would get into this cluster. */
async function replaceForeign({ client, random }: ControllerDeps, present: Secret, lease: ClusterLease): Promise<void> {
  const { uid, resourceVersion } = fenceOf(present)
  await client.delete(SECRETS, tokenRef(lease), { uid, resourceVersion })
  await client.create(SECRETS, renderToken(lease, random.hex(TOKEN_BYTES)))
}

export async function deleteConnectToken({ client, own }: ControllerDeps, lease: ClusterLease): Promise<void> {
  try {
    await client.delete(SECRETS, tokenRef(lease))
  } catch (error) {
    if (!isKubeError(error, 'NotFound')) throw error
  }
  own.tokens.deleted(lease.metadata.uid ?? '')
}

const isTokenOf = (secret: Secret, { metadata }: ClusterLease): boolean =>
  secret.metadata.ownerReferences?.some(({ uid }) => uid === metadata.uid) ?? false

function tokenRef({ metadata: { namespace, name = '' } }: ClusterLease): ObjectRef {
  return { name: connectTokenSecretName(name), ...(namespace === undefined ? {} : { namespace }) }
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
