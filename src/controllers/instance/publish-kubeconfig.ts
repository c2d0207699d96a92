/** The Secret with the admin kubeconfig of a member. It never leaves the host: leases get a token of their own. */
import { SECRETS, type Secret } from '../../api/core-resources.ts'
import { apiVersionOf } from '../../api/resource.ts'
import type { ClusterInstance } from '../../api/v1alpha1/cluster-instance.ts'
import { KUBECONFIG_KEY, kubeconfigSecretName, Label, OPERATOR_NAME } from '../../api/v1alpha1/labels.ts'
import { CLUSTER_INSTANCES } from '../../api/v1alpha1/resources.ts'
import type { KubeClient } from '../../kube/client.ts'
import { isKubeError } from '../../kube/errors.ts'

export async function publishKubeconfig(
  client: KubeClient,
  instance: ClusterInstance,
  kubeconfig: string,
): Promise<void> {
  const secret = renderSecret(instance, kubeconfig)
  try {
    await client.create(SECRETS, secret)
  } catch (error) {
    if (!isKubeError(error, 'AlreadyExists')) throw error
    // Left by a predecessor of the same name, or by ourselves before a crash: written anew, fenced to what is there.
    const present = await client.get(SECRETS, {
      name: secret.metadata.name ?? '',
      namespace: secret.metadata.namespace ?? '',
    })
    const { uid, resourceVersion } = present.metadata
    await client.replace(SECRETS, {
      ...secret,
      metadata: {
        ...secret.metadata,
        ...(uid === undefined ? {} : { uid }),
        ...(resourceVersion === undefined ? {} : { resourceVersion }),
      },
    })
  }
}

function renderSecret(instance: ClusterInstance, kubeconfig: string): Secret {
  const { namespace, name = '', uid = '' } = instance.metadata
  return {
    metadata: {
      name: kubeconfigSecretName(name),
      ...(namespace === undefined ? {} : { namespace }),
      labels: { [Label.managedBy]: OPERATOR_NAME, [Label.cluster]: name },
      ownerReferences: [
        { apiVersion: apiVersionOf(CLUSTER_INSTANCES), kind: CLUSTER_INSTANCES.kind, name, uid, controller: true },
      ],
    },
    type: 'Opaque',
    data: { [KUBECONFIG_KEY]: Buffer.from(kubeconfig).toString('base64') },
  }
}
