/**
 * The token of a bound lease: Secret `<lease>-connect-token`, made when it is first asked for, owned by the lease (so it goes
 * with it). Of two replicas that make it at once the API server keeps one; the other takes that one.
 */
import { SECRETS, type Secret } from '../../api/core-resources.ts'
import type { ClusterLease } from '../../api/v1alpha1/cluster-lease.ts'
import { CONNECT_TOKEN_KEY, connectTokenSecretName, Label, OPERATOR_NAME } from '../../api/v1alpha1/labels.ts'
import { API_VERSION } from '../../api/v1alpha1/resources.ts'
import { isKubeError } from '../../kube/errors.ts'
import type { HttpDeps } from '../deps.ts'

export interface ConnectTokens {
  /** The token of the lease, if it has one. */
  find(lease: ClusterLease): Promise<string | undefined>
  /** The token of the lease; makes it when there is none. Throws `KubeError`. */
  ensure(lease: ClusterLease): Promise<string>
  close(): void
}

type Deps = Pick<HttpDeps, 'client' | 'namespace' | 'random'> & { readonly cache: HttpDeps['caches']['secrets'] }

export function createConnectTokens({ client, cache, namespace, random }: Deps): ConnectTokens {
  /** Secrets this replica made or read itself, by name, until the cache shows them. */
  const own = new Map<string, Secret>()
  const unsubscribe = cache.on(({ object }) => own.delete(object.metadata.name ?? ''))

  const known = (lease: ClusterLease): Secret | undefined => {
    const name = connectTokenSecretName(lease.metadata.name ?? '')
    const secret = cache.get(namespace, name) ?? own.get(name)
    return secret !== undefined && belongsTo(secret, lease) ? secret : undefined
  }
  const read = async (lease: ClusterLease): Promise<Secret | undefined> => {
    const name = connectTokenSecretName(lease.metadata.name ?? '')
    try {
      const secret = await client.get(SECRETS, { name, namespace })
      own.set(name, secret)
      return belongsTo(secret, lease) ? secret : undefined
    } catch (error) {
      if (isKubeError(error, 'NotFound')) return undefined
      throw error
    }
  }
  const create = async (lease: ClusterLease): Promise<Secret | undefined> => {
    try {
      const secret = await client.create(SECRETS, newSecret(lease, namespace, random.hex(32)))
      own.set(secret.metadata.name ?? '', secret)
      return secret
    } catch (error) {
      if (isKubeError(error, 'AlreadyExists')) return await read(lease)
      throw error
    }
  }
  return {
    find: async (lease) => tokenIn(known(lease) ?? (await read(lease))),
    async ensure(lease) {
      const token = tokenIn(known(lease) ?? (await create(lease)))
      if (token === undefined)
        throw new Error(
          `Secret ${connectTokenSecretName(lease.metadata.name ?? '')} belongs to another lease or holds no token`,
        )
      return token
    },
    close() {
      unsubscribe()
      own.clear()
    },
  }
}

/** The Secret of an earlier lease of the same name grants nothing on this one. */
function belongsTo(secret: Secret, lease: ClusterLease): boolean {
  return secret.metadata.ownerReferences?.some((owner) => owner.uid === lease.metadata.uid) === true
}

function tokenIn(secret: Secret | undefined): string | undefined {
  const encoded = secret?.data?.[CONNECT_TOKEN_KEY]
  const token = encoded === undefined ? '' : Buffer.from(encoded, 'base64').toString('utf8')
  return token === '' ? undefined : token
}

function newSecret(lease: ClusterLease, namespace: string, token: string): Secret {
  const { name = '', uid = '' } = lease.metadata
  return {
    metadata: {
      name: connectTokenSecretName(name),
      namespace,
      labels: { [Label.managedBy]: OPERATOR_NAME },
      ownerReferences: [{ apiVersion: API_VERSION, kind: 'ClusterLease', name, uid }],
    },
    type: 'Opaque',
    data: { [CONNECT_TOKEN_KEY]: Buffer.from(token).toString('base64') },
  }
}
