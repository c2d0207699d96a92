/**
 * Backend `embedded`: each member is an API server of our own beside the operator, without containers: in a process of its
 * own, or many in one (`isolation`). Members outlive the operator and are found again.
 */
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import type { Backend as BackendSpec, ClusterTemplate } from '../../api/v1alpha1/cluster-pool.ts'
import type { Clock } from '../../kube/clock.ts'
import type { Log } from '../../kube/log.ts'
import {
  type Backend,
  type BackendCapabilities,
  BackendError,
  type MemberState,
  type MemberTarget,
} from '../backend.ts'
import { renderAdminKubeconfig } from './admin-kubeconfig.ts'
import { gitVersion } from './git-version.ts'
import { createHealthProbe, type HealthProbe } from './health-probe.ts'
import { createLauncher, type Launcher, type LaunchSpec, type LaunchState } from './launcher.ts'
import type { Isolation, Storage } from './member-record.ts'
import { memberNodeFlags } from './node-flags.ts'
import { type StopReport, stopAllMembers } from './stop-all.ts'

export interface EmbeddedBackendOptions {
  /** Members are in `<stateDir>/members/<instance>/`, the process of the shared ones in `<stateDir>/shared/`. */
  readonly stateDir: string
  /** Address that members listen on. Default `127.0.0.1`. */
  readonly host?: string
  /** Default 500. More are `Unschedulable`. */
  readonly maxMembers?: number
  /** Part of the spec hash: another build of the members rolls the pools. Default: none. */
  readonly buildVersion?: string
  /** Node program of the members. Default: the one that runs us. */
  readonly nodePath?: string
  /** Where members keep compiled code. Default `<stateDir>/compile-cache`. */
  readonly compileCacheDir?: string
  readonly clock: Clock
  readonly log: Log
}

export interface EmbeddedBackend extends Backend {
  /** All members in the state folder, whoever made them: one without a ClusterInstance is an orphan. */
  members(): Promise<{ readonly name: string; readonly uid: string }[]>
  /** Ends every member and keeps its data: the next `ensure` starts it again where it was. */
  stopAll(): Promise<StopReport>
  /** Removes an orphan: as `destroy`, without a ClusterInstance. */
  destroyMember(member: { readonly name: string; readonly uid: string }): ReturnType<Backend['destroy']>
}

/** Gates that need no nodes. */
const gates: ReadonlySet<string> = new Set(['AddonsReady', 'CRDExists', 'URLHealthy'])
/** A start is half a second of one core; more at once than cores makes all of them late. */
const startsPerCore = 2
const maxConcurrentSharedCreates = 16

export function createEmbeddedBackend(options: EmbeddedBackendOptions): EmbeddedBackend {
  const launcher = createLauncher({
    ...options,
    stateDir: join(options.stateDir, 'members'),
    sharedDir: join(options.stateDir, 'shared'),
    compileCacheDir: options.compileCacheDir ?? join(options.stateDir, 'compile-cache'),
    nodeFlags: memberNodeFlags,
  })
  const probe = createHealthProbe()
  return {
    type: 'embedded',
    capabilities,
    fingerprint: (spec, cluster) => fingerprint(spec, cluster, options.buildVersion),
    defaultGates: () => [],
    ensure: (target) => ensure(launcher, target, options.host),
    probe: (target) => check(launcher, probe, target),
    kubeconfig: (target) => kubeconfig(launcher, target),
    destroy: ({ name, uid }) => launcher.destroy(name, uid),
    subscribe: launcher.subscribe,
    async close() {
      probe.close()
      await launcher.close()
    },
    members: launcher.list,
    stopAll: () => stopAllMembers(launcher, options.clock),
    destroyMember: ({ name, uid }) => launcher.destroy(name, uid),
  }
}

function settings(spec: BackendSpec): { readonly isolation: Isolation; readonly storage: Storage } {
  return { isolation: spec.embedded?.isolation ?? 'process', storage: spec.embedded?.storage ?? 'sqlite' }
}

function capabilities(spec: BackendSpec): BackendCapabilities {
  const shared = settings(spec).isolation === 'shared'
  return {
    supportsVerifiedDestroy: false,
    gates,
    runsBootstrapJobs: false,
    maxConcurrentCreates: shared ? maxConcurrentSharedCreates : startsPerCore * availableParallelism(),
  }
}

function fingerprint(spec: BackendSpec, cluster: ClusterTemplate, buildVersion: string | undefined): unknown {
  const version = gitVersion(cluster.version) ?? cluster.version
  return { type: 'embedded', ...settings(spec), version, ...(buildVersion === undefined ? {} : { buildVersion }) }
}

async function ensure(launcher: Launcher, target: MemberTarget, host: string | undefined): Promise<MemberState> {
  const version = gitVersion(target.cluster.version)
  if (version === undefined) {
    const message = `cluster.version ${JSON.stringify(target.cluster.version)} is not a Kubernetes version such as v1.36.0`
    return { state: 'Failed', message }
  }
  const { name, uid } = target
  const spec: LaunchSpec = { name, uid, version, ...settings(target.backend), ...(host === undefined ? {} : { host }) }
  return memberState(await launcher.ensure(spec))
}

function memberState({ state, message }: LaunchState): MemberState {
  return { state, message }
}

/** Looks at the process first: a dead one is restarted by that, also after an operator restart. */
async function check(launcher: Launcher, probe: HealthProbe, { name, uid }: MemberTarget) {
  const state = await launcher.inspect(name, uid)
  if (state === undefined) return { healthy: false, message: `there is no member ${name}` } as const
  if (state.state !== 'Running') return { healthy: false, message: state.message } as const
  const credentials = await launcher.credentials(name, uid)
  return credentials === undefined
    ? ({ healthy: false, message: `there is no member ${name}` } as const)
    : probe.check(credentials)
}

async function kubeconfig(launcher: Launcher, { name, uid }: MemberTarget): Promise<string> {
  const credentials = await launcher.credentials(name, uid)
  if (credentials !== undefined) return renderAdminKubeconfig(name, credentials)
  const state = await launcher.inspect(name, uid)
  if (state === undefined) throw new BackendError('NotFound', `there is no member ${name}`)
  throw new BackendError('NotReady', `${name} does not answer yet: ${state.message}`)
}
