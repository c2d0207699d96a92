/**
 * A provider runs the machines under the nodes of a standing cluster. Controllers know only this file.
 *
 * Every call answers what is *observed now* and returns quickly: stopping, starting and creating go on in the background and
 * the call is repeated until the machine is in the wanted state. All calls are idempotent, and resumable: nothing is
 * remembered between two calls, so a call of another process, or after a restart, continues where the last one was.
 * `test/contract/provider-contract.ts` is the suite that every provider passes, the fake too.
 */

export const MACHINE_TYPES = { control: 'control', worker: 'worker', etcd: 'etcd' } as const
export type MachineType = keyof typeof MACHINE_TYPES

/** Whose machines; never more than the provider needs to find them. */
export interface ClusterTarget {
  /** Of the ManagedCluster. */
  readonly namespace: string
  readonly name: string
  /** UID of the ManagedCluster: machines of a namesake that was deleted are not its machines. */
  readonly uid: string
  /** `spec.provider` as it stands; each provider parses its own part. */
  readonly config: { readonly type: string } & Readonly<Record<string, unknown>>
}

/** What a machine has, or should have. A field that is absent is not known, or not asked for. */
export interface MachineSettings {
  readonly offering?: string
  readonly rootDiskSizeGB?: number
  /** Without dedication groups, in any order. */
  readonly affinityGroups?: readonly string[]
  readonly image?: string
}

export const MACHINE_STATES = {
  Creating: 'Creating',
  Running: 'Running',
  Stopping: 'Stopping',
  Stopped: 'Stopped',
  Starting: 'Starting',
  Terminating: 'Terminating',
  /** The provider gave up on it; only `terminate` helps. */
  Error: 'Error',
} as const
export type MachineState = keyof typeof MACHINE_STATES

export interface Machine {
  /** The provider's own; the same over stop, change and start. */
  readonly id: string
  readonly name: string
  readonly type: MachineType
  /** Name of the node group; absent when the provider does not know groups. */
  readonly group?: string
  /** Name of its Node; absent for machines without one, such as those of an external etcd. */
  readonly nodeName?: string
  /** As in `Node.spec.providerID`. */
  readonly providerID?: string
  readonly zone?: string
  readonly state: MachineState
  /** What it has now, not what was asked for. */
  readonly settings: MachineSettings
  /** Groups that dedicate hosts to an account: kept on every change, never compared [C]. */
  readonly dedicationGroups: readonly string[]
  readonly cpu?: number
  readonly memoryMiB?: number
  readonly kubernetesVersion?: string
  /** Why the last thing that was asked of it failed; gone with the next that is asked, new settings included. */
  readonly failure?: { readonly code: ProviderErrorCode; readonly message: string }
}

export interface MachineRequest {
  /** The caller's: asking twice for the same name makes one machine. */
  readonly name: string
  readonly type: MachineType
  readonly group: string
  readonly settings: MachineSettings
  readonly zone?: string
}

export interface EtcdMember {
  readonly name: string
  /** Its machine; absent for a member that belongs to none of the cluster's machines. */
  readonly machineId?: string
  readonly healthy: boolean
  /** Learners do not count for quorum. */
  readonly voter: boolean
  readonly message: string
}

export interface EtcdHealth {
  /** As the cluster lists them, those that do not answer too. */
  readonly members: readonly EtcdMember[]
}

export interface SettingsProblem {
  /** `offering`, `rootDiskSizeGB`, `affinityGroups` or `image`. */
  readonly field: keyof MachineSettings
  /** What is wrong and what would be right, for a person. */
  readonly message: string
  /** True: only wrong for machines that exist, fine for new ones (a disk that would shrink, a disk of fixed size) [C]. */
  readonly onlyForExisting: boolean
}

export interface ProviderCapabilities {
  /** Machines can be stopped, changed and started: strategy Restart. */
  readonly restart: boolean
  /** Machines can be made and terminated: strategy Replace, scaling. */
  readonly replace: boolean
  /** Settings that `applySettings` can change on a stopped machine. */
  readonly changes: ReadonlySet<keyof MachineSettings>
  /** `upgradeMachine` and `clusterUpgradeStep` work. */
  readonly upgrade: boolean
  /** How long a stop, a change and a start of a machine usually take, its boot included. Milliseconds; absent: not known. */
  readonly restartMs?: number
}

export interface Provider {
  readonly type: string
  capabilities(config: ClusterTarget['config']): ProviderCapabilities
  /** All machines of the cluster, those on their way in and out too, in any order. One request of the provider, or few. */
  listMachines(cluster: ClusterTarget): Promise<readonly Machine[]>
  /** Towards Stopped. A machine that is stopped, or stopping, is left alone. @throws NotFound */
  stop(cluster: ClusterTarget, machineId: string): Promise<Machine>
  /**
   * Towards Running. No room is either thrown as InsufficientCapacity or found later: the machine is then Stopped with a
   * `failure` of that code. A machine that is running, or starting, is left alone. @throws NotFound, InsufficientCapacity
   */
  start(cluster: ClusterTarget, machineId: string): Promise<Machine>
  /**
   * Gives a stopped machine the settings that are present; disks only grow, dedication groups stay. What it has already is not
   * written again. @throws NotFound, Conflict (it is not stopped), Refused (it cannot have them)
   */
  applySettings(cluster: ClusterTarget, machineId: string, settings: MachineSettings): Promise<Machine>
  /** Undefined when it was observed to be gone. */
  terminate(cluster: ClusterTarget, machineId: string): Promise<Machine | undefined>
  /** One machine per request; those that exist by name are left as they are. @throws InsufficientCapacity, Refused */
  createMachines(cluster: ClusterTarget, requests: readonly MachineRequest[]): Promise<readonly Machine[]>
  /** The kubelet and control plane of one machine, in place. Done when `kubernetesVersion` says so. @throws NotFound, Refused */
  upgradeMachine(cluster: ClusterTarget, machineId: string, version: string): Promise<Machine>
  /** What an upgrade does once per cluster, on the first control node. */
  clusterUpgradeStep(cluster: ClusterTarget, machineId: string, version: string): Promise<{ readonly done: boolean }>
  /** Asked member by member. @throws Transient when nothing can be said: that is unhealthy too */
  etcdHealth(cluster: ClusterTarget): Promise<EtcdHealth>
  /** Whether the API server on this control machine answers. False for every failure to answer. */
  serves(cluster: ClusterTarget, machineId: string): Promise<boolean>
  /**
   * Settings that the cluster as a whole was made with, for providers that know clusters; undefined: none. They are those of the
   * machines of a type that has no settings of its own [C].
   */
  clusterSettings?(cluster: ClusterTarget): Promise<MachineSettings | undefined>
  /** What is wrong with settings for machines of a type; empty when nothing is. */
  validateSettings(
    cluster: ClusterTarget,
    type: MachineType,
    settings: MachineSettings,
  ): Promise<readonly SettingsProblem[]>
}

export type ProviderErrorCode =
  /** No such machine. */
  | 'NotFound'
  /** No room for it now, here. */
  | 'InsufficientCapacity'
  /** Too many requests: wait `retryAfterMs`. */
  | 'Throttled'
  /** Not in the present state of the machine; or somebody else changed it: look again. */
  | 'Conflict'
  /** Never with these arguments. */
  | 'Refused'
  /** Anything that may pass by itself. Whether the call had an effect is unknown. */
  | 'Transient'

export class ProviderError extends Error {
  override readonly name = 'ProviderError'
  readonly code: ProviderErrorCode
  /** Milliseconds; present with Throttled when the provider says so. */
  readonly retryAfterMs?: number

  constructor(code: ProviderErrorCode, message: string, options: { cause?: unknown; retryAfterMs?: number } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    if (options.retryAfterMs !== undefined) this.retryAfterMs = options.retryAfterMs
  }
}

export function isProviderError(error: unknown, ...codes: ProviderErrorCode[]): error is ProviderError {
  return error instanceof ProviderError && (codes.length === 0 || codes.includes(error.code))
}
