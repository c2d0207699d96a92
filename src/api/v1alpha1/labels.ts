/** Every label, annotation, finalizer and derived name. All are part of the public interface. */
import { GROUP } from './resources.ts'

export const Label = {
  /** Who looks after the object: always `kobe-operator`. */
  managedBy: 'app.kubernetes.io/managed-by',
  /** Instances and backend objects: name of the pool. */
  pool: `${GROUP}/pool`,
  /** Backend objects: name of the instance. */
  cluster: `${GROUP}/cluster`,
  /** Backend objects: `server` or `agent`. */
  role: `${GROUP}/role`,
  /** Bootstrap Jobs: name of the instance. */
  instance: `${GROUP}/instance`,
  /** Bootstrap Jobs: name of the BootstrapConfig. */
  bootstrap: `${GROUP}/bootstrap`,
  /** Leases: name of the pool. */
  profile: `${GROUP}/profile`,
  /** Leases: FNV-1a 64 of the identity of the requester, 16 hex digits. */
  requesterHash: `${GROUP}/requester-hash`,
  /** Leases: the alias, if there is one. */
  alias: `${GROUP}/alias`,
  /** Leases made with an idempotency key: the first 32 hex digits of its hash. */
  idempotencyKey: `${GROUP}/idempotency-key`,
  /** Jobs of health checks, and their pods: name of the check. */
  healthCheck: `${GROUP}/health-check`,
  /** Jobs of health checks, and their pods: UID of the ManagedCluster. */
  managedCluster: `${GROUP}/managed-cluster`,
} as const

export const Annotation = {
  /** Leases: present once somebody has read the teardown receipt; the lease may go then. */
  teardownReceiptAcknowledged: `${GROUP}/teardown-receipt-acknowledged`,
  /** Instances: gives up on a quarantined instance; the value is the reason, for the audit. */
  quarantineRelease: `${GROUP}/quarantine-release`,
  /** Nodes: mark of a run; the boot ID that the node had when it was taken. */
  rolloutBootId: `${GROUP}/rollout-boot-id`,
  /** Nodes of CloudStack clusters: the same mark under the name that CloudStack itself gives it. */
  cloudstackRolloutBootId: 'cloudstack.apache.org/rollout-boot-id',
  /** Nodes: set in the same write as `spec.unschedulable`, so that a cordon of ours can be told from any other. */
  cordonedBy: `${GROUP}/cordoned-by`,
  /** Operations: identity of who asked for it, through the HTTP API. */
  requestedBy: `${GROUP}/requested-by`,
  /** Operations: who cancelled it through the HTTP API, or why the API itself did. */
  cancelReason: `${GROUP}/cancel-reason`,
  /** Operations asked for with an idempotency key: hashes of who sent which key, and of the request, `<key>.<request>`. */
  idempotency: `${GROUP}/idempotency`,
  /** Nodes: left out of every run, and reported. */
  doNotDisrupt: `${GROUP}/do-not-disrupt`,
  /** Node operations: pods that crashed or were Pending when the run began, counted by workload; JSON. */
  troubledBefore: `${GROUP}/troubled-before`,
} as const

export const Finalizer = {
  /** Instances: until the backend has been seen to be empty. */
  instanceCleanup: `${GROUP}/instance-cleanup`,
  /** Pools: until the last member is gone. */
  poolCleanup: `${GROUP}/pool-cleanup`,
  /** Leases: until their instance has been let go. */
  leaseCleanup: `${GROUP}/lease-cleanup`,
  /** Node operations: until everything the run holds has been released. */
  nodeOperation: `${GROUP}/node-operation`,
} as const

/** Value of `app.kubernetes.io/managed-by`, field manager of our writes, and name of the leader election Lease. */
export const OPERATOR_NAME = 'kobe-operator'
/** Namespace of the pools unless configured otherwise. */
export const DEFAULT_NAMESPACE = 'kobe-system'
/** Key of the kubeconfig in the Secret of an instance. */
export const KUBECONFIG_KEY = 'kubeconfig'
/** Key of the token in the Secret of a bound lease. */
export const CONNECT_TOKEN_KEY = 'token'
/** Key of a static token in the Secret an AccessPolicy names. */
export const POLICY_TOKEN_KEY = 'token'
/** The documented selector of the instances. */
export const MANAGED_BY_SELECTOR = `${Label.managedBy}=${OPERATOR_NAME}`

/** Name of member `n` of a pool; `n` is never used twice. */
export const instanceName = (pool: string, n: number): string => `pool-${pool}-${n}`

/** The number of a member of that pool; undefined when the name is not one of its names. */
export function instanceIndex(pool: string, name: string): number | undefined {
  const prefix = `pool-${pool}-`
  const digits = name.startsWith(prefix) ? name.slice(prefix.length) : ''
  return /^[1-9][0-9]{0,14}$/.test(digits) ? Number(digits) : undefined
}

/** Secret with the admin kubeconfig of an instance. */
export const kubeconfigSecretName = (instance: string): string => `${instance}-kubeconfig`

/** Secret with the token that `/connect/<lease>` asks for. */
export const connectTokenSecretName = (lease: string): string => `${lease}-connect-token`

/** Name of a lease from 12 random hex digits. */
export const leaseName = (hex: string): string => `lease-${hex}`
