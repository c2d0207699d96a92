/** What `kobe up` puts into a fresh host: the namespace, a local admin token with its policy, and a first pool. */
import { randomBytes } from 'node:crypto'
import { NAMESPACES, SECRETS } from '../api/core-resources.ts'
import type { KubeObject, ResourceType } from '../api/resource.ts'
import { type AccessRule, CLUSTER_VERBS } from '../api/v1alpha1/access-policy.ts'
import { withClusterPoolDefaults } from '../api/v1alpha1/defaults.ts'
import { ACCESS_POLICIES, CLUSTER_POOLS } from '../api/v1alpha1/resources.ts'
import { field } from '../core/optional-field.ts'
import type { KubeClient } from '../kube/client.ts'
import { isKubeError } from '../kube/errors.ts'
import { fencedPatch } from '../kube/fenced-patch.ts'

const ADMIN = 'local-admin'
const ADMIN_SECRET = 'kobe-local-admin'
/** The pool that `npm start` gives to try things out. */
export const FIRST_POOL = 'ci-small'

export async function ensureNamespace(client: KubeClient, name: string): Promise<void> {
  await createIfMissing(client, NAMESPACES, { metadata: { name } })
}

/** Whoever runs `kobe up` may do everything, on every cluster. */
const ADMIN_RULE: AccessRule = {
  pools: ['*'],
  maxTtl: '24h',
  maxConcurrentLeases: 100,
  maxExtensions: 10,
  clusters: [{ names: ['*'], verbs: [...CLUSTER_VERBS] }],
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
      rules: [ADMIN_RULE],
    },
  })
  await grantClusters(client, namespace)
  const secret = await client.get(SECRETS, { name: ADMIN_SECRET, namespace })
  return Buffer.from(secret.data?.['token'] ?? '', 'base64').toString('utf8')
}

/** A policy from before there were verbs on clusters gets them; one that says something of clusters stays as it is. */
async function grantClusters(client: KubeClient, namespace: string): Promise<void> {
  const policy = await client.get(ACCESS_POLICIES, { name: ADMIN, namespace })
  const [first, ...others] = policy.spec.rules
  if (first === undefined || first.clusters !== undefined) return
  const rules = [{ ...first, ...field('clusters', ADMIN_RULE.clusters) }, ...others]
  const patch = fencedPatch(policy, { spec: { ...policy.spec, rules } })
  if (patch !== undefined) await client.patch(ACCESS_POLICIES, { name: ADMIN, namespace }, patch)
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
