/** Objects for tests of the core, with every default an API server would fill in. Times are epoch milliseconds. */
import { formatTimestamp } from '../../api/timestamp.ts'
import type { ClusterInstance, InstanceStatus } from '../../api/v1alpha1/cluster-instance.ts'
import type { ClusterLease, LeaseStatus } from '../../api/v1alpha1/cluster-lease.ts'
import type { ClusterPool, PoolSpec, Scaling } from '../../api/v1alpha1/cluster-pool.ts'
import { Finalizer, instanceName } from '../../api/v1alpha1/labels.ts'
import { createdStatus, NEW_STATUS } from '../instance/instance-status.ts'
import { NEW_LEASE_STATUS } from '../lease/lease-status.ts'
import type { PoolCapabilities, PoolObserved } from '../pool/observed.ts'
import { renderInstance } from '../pool/render-instance.ts'
import { SPEC_HASH_VERSION } from '../pool/spec-hash.ts'

/** A Monday noon. */
export const T0 = Date.parse('2026-01-05T12:00:00Z')
export const SECOND = 1_000
export const MINUTE = 60_000
export const HASH_A = 'aaaaaaaaaaaaaaaa'
export const HASH_B = 'bbbbbbbbbbbbbbbb'
export const DIGEST = 'd'.repeat(64)
export const POOL_NAME = 'ci-small'

export const CAPABILITIES: PoolCapabilities = {
  gates: new Set(['CRDExists']),
  runsBootstrapJobs: false,
  maxConcurrentCreates: 10,
}

export function aPool(spec: Partial<PoolSpec> = {}, over: Partial<ClusterPool> = {}): ClusterPool {
  return {
    metadata: {
      name: POOL_NAME,
      namespace: 'kobe-system',
      uid: 'pool-uid',
      generation: 1,
      finalizers: [Finalizer.poolCleanup],
    },
    spec: {
      size: 2,
      ttl: '2h',
      backend: { type: 'embedded' },
      cluster: { version: 'v1.36.0', servers: 1, serverArgs: [] },
      addons: [],
      bootstraps: [],
      readinessGates: [],
      healthCheck: { intervalSeconds: 30, failureThreshold: 3 },
      upgradePolicy: { maxRecycling: 1, maxSurge: 1 },
      ...spec,
    },
    ...over,
  }
}

export const scaling = (over: Partial<Scaling> = {}): Scaling => ({
  minReady: 1,
  maxClusters: 8,
  scaleUpThreshold: 0,
  scaleDownAfter: '5m',
  queueTimeout: '5m',
  creatingTimeout: '10m',
  failureBackoff: { base: '5s', multiplier: 2, max: '2m' },
  ...over,
})

export interface InstanceOptions extends Partial<InstanceStatus> {
  /** The n of its name. Default 1. */
  readonly n?: number
  /** Default: T0 - 1 h. */
  readonly createdAt?: number
  /** Default: createdAt. */
  readonly since?: number
  readonly deleting?: boolean
  readonly finalizers?: string[]
}

/** A member that is Creating unless told otherwise, stamped with HASH_A. */
export function anInstance(options: InstanceOptions = {}): ClusterInstance {
  const { n = 1, createdAt = T0 - 60 * MINUTE, since = createdAt, deleting, finalizers, ...status } = options
  const rendered = renderInstance(aPool(), instanceName(POOL_NAME, n))
  const instance: ClusterInstance = {
    ...rendered,
    metadata: {
      ...rendered.metadata,
      uid: `uid-${n}`,
      resourceVersion: `${n}`,
      generation: 1,
      creationTimestamp: formatTimestamp(createdAt),
      ...(deleting ? { deletionTimestamp: formatTimestamp(T0) } : {}),
      ...(finalizers === undefined ? {} : { finalizers }),
    },
  }
  const stamp = {
    specHash: HASH_A,
    specHashVersion: SPEC_HASH_VERSION,
    createdWith: { operatorVersion: 'test', backendType: 'embedded' as const, configDigest: DIGEST },
  }
  return { ...instance, status: { ...createdStatus(instance, stamp, since), ...status } }
}

export function aReady(options: InstanceOptions = {}): ClusterInstance {
  const at = formatTimestamp(options.since ?? options.createdAt ?? T0 - 60 * MINUTE)
  return anInstance({
    phase: 'Ready',
    provisioned: true,
    bootstrapped: true,
    idleSince: at,
    readySince: at,
    ...options,
  })
}

export function aLeased(options: InstanceOptions & { lease?: string } = {}): ClusterInstance {
  const { lease = 'lease-1', ...rest } = options
  const instance = aReady({ phase: 'Leased', ...rest })
  const { idleSince: _idle, ...status } = instance.status ?? NEW_STATUS
  const leaseRef = { name: lease, uid: `uid-${lease}` }
  return { ...instance, status: { ...status, leaseRef, binding: aBinding(instance, lease) } }
}

export const aBinding = (instance: ClusterInstance, lease = 'lease-1') => ({
  bindingId: `binding-${lease}`,
  lease: { name: lease, uid: `uid-${lease}` },
  instance: { name: instance.metadata.name ?? '', uid: instance.metadata.uid ?? '', observedGeneration: 1 },
  pool: { name: POOL_NAME, uid: 'pool-uid' },
  backend: { type: 'embedded' as const, configDigest: DIGEST },
  instanceSpecDigest: HASH_A,
})

export interface LeaseOptions extends Partial<LeaseStatus> {
  readonly name?: string
  readonly createdAt?: number
  readonly requester?: string
  readonly spec?: Partial<ClusterLease['spec']>
  readonly deleting?: boolean
  readonly finalizers?: string[]
}

export function aLease(options: LeaseOptions = {}): ClusterLease {
  const { name = 'lease-1', createdAt = T0, requester = 'alice', spec, deleting, finalizers, ...status } = options
  return {
    metadata: {
      name,
      namespace: 'kobe-system',
      uid: `uid-${name}`,
      resourceVersion: '1',
      generation: 1,
      creationTimestamp: formatTimestamp(createdAt),
      ...(deleting ? { deletionTimestamp: formatTimestamp(T0) } : {}),
      ...(finalizers === undefined ? {} : { finalizers }),
    },
    spec: {
      poolRef: POOL_NAME,
      ttl: '1h',
      requester: { type: 'local', identity: requester },
      priority: 50,
      cleanupMode: 'Standard',
      allowStale: true,
      ...spec,
    },
    status: { ...NEW_LEASE_STATUS, ...status },
  }
}

export const observedPool = (over: Partial<PoolObserved> = {}): PoolObserved => ({
  pool: aPool(),
  instances: [],
  leases: [],
  specHash: { state: 'known', hash: HASH_A, version: SPEC_HASH_VERSION },
  capabilities: CAPABILITIES,
  expectationsMet: true,
  ...over,
})
