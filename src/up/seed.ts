/** What `kobe up` puts into a fresh host: the namespace, a local admin token with its policy, and a first pool. */
import { randomBytes } from 'node:crypto'
import { NAMESPACES, SECRETS } from '../api/core-resources.ts'
import type { KubeObject, ResourceType } from '../api/resource.ts'
import { CLUSTER_VERBS } from '../api/v1alpha1/access-policy.ts'
import { withClusterPoolDefaults } from '../api/v1alpha1/defaults.ts'
import { ACCESS_POLICIES, CLUSTER_POOLS } from '../api/v1alpha1/resources.ts'
import type { KubeClient } from '../kube/client.ts'
import { isKubeError } from '../kube/errors.ts'

const ADMIN = 'local-admin'
const ADMIN_SECRET = 'kobe-local-admin'
/** The pool that `npm start` gives to try things out. */
export const FIRST_POOL = 'ci-small'

export async function ensureNamespace(client: KubeClient, name: string): Promise<void> {
  await createIfMissing(client, NAMESPACES, { metadata: { name } })
}

/** Answers the token; it stays the same over restarts and can be rotated by editing the Secret. */
export async function ensureLocalAdmin(client: KubeClient, namespace: string): Promise<string> {
  const fresh = randomBytes(32).toString('hex')
  await createIfMissing(client, SECRETS, {
    metadata: { name: ADMIN_SECRET, namespace },
    type: 'Opaque',
    data: { token: Buffer.from(fresh).toString('base64') },
  })
  await createIfMissing(client, ACCESS_POLICIES, {
    metadata: { name: ADMIN, namespace },
    spec: {
      auth: { token: { secretRef: ADMIN_SECRET } },
      identity: ADMIN,
      rules: [
        {
          pools: ['*'],
          maxTtl: '24h',
          maxConcurrentLeases: 100,
          maxExtensions: 10,
          clusters: [{ names: ['*'], verbs: [...CLUSTER_VERBS] }],
        },
      ],
    },
  })
  const secret = await client.get(SECRETS, { name: ADMIN_SECRET, namespace })
  return Buffer.from(secret.data?.['token'] ?? '', 'base64').toString('utf8')
}

export interface FirstPoolOptions {
  readonly namespace: string
  readonly storage: 'sqlite' | 'memory'
  readonly version: string
}

export async function ensureFirstPool(
  client: KubeClient,
  { namespace, storage, version }: FirstPoolOptions,
): Promise<void> {
  const pool = withClusterPoolDefaults({
    metadata: { name: FIRST_POOL, namespace },
    spec: {
      size: 2,
      backend: { type: 'embedded', embedded: { isolation: 'process', storage } },
      cluster: { version },
    },
  })
  await createIfMissing(client, CLUSTER_POOLS, pool)
}

export async function createIfMissing<T extends KubeObject>(
  client: KubeClient,
  type: ResourceType<T>,
  object: T,
): Promise<void> {
  try {
    await client.create(type, object)
  } catch (error) {
    if (!isKubeError(error, 'AlreadyExists')) throw error
  }
}
