/**
 * The life of a machine that does not exist, for the fake and the simulated provider. Pure: the record is what a cloud keeps,
 * requests change it at once, and `advance` is what the cloud does in its own time.
 *
 *   (request) -> Creating -> Running -> Stopping -> Stopped -> Starting -> Running
 *                   |                                              |
 *                   +-> Error (no room)                            +-> Stopped with a failure (no room)
 *   any state -> Terminating -> gone
 */
import {
  type Machine,
  type MachineRequest,
  type MachineSettings,
  type MachineState,
  type MachineType,
  ProviderError,
  type ProviderErrorCode,
} from './provider.ts'

export interface MachineRecord {
  readonly id: string
  readonly type: MachineType
  readonly group?: string
  readonly node?: string
  readonly zone?: string
  readonly state: MachineState
  /** When it came into this state. Epoch milliseconds. */
  readonly since: number
  readonly settings: MachineSettings
  readonly dedicationGroups?: readonly string[]
  readonly cpu?: number
  readonly memoryMiB?: number
  readonly version?: string
  readonly failure?: { readonly code: ProviderErrorCode; readonly message: string }
}

export interface LifeTimes {
  /** From a request to stop until it is off. Milliseconds. */
  readonly stopMs: number
  /** From a request to start until the machine runs; its kubelet takes longer. Milliseconds. */
  readonly startMs: number
  readonly createMs: number
}

/** What goes wrong, and for whom. */
export interface LifeTroubles {
  /** The job of this machine never ends. */
  isStuck(name: string): boolean
  /** There is no room for it with what it has now. */
  hasNoRoom(name: string, record: MachineRecord): boolean
}

export const NO_TROUBLES: LifeTroubles = { isStuck: () => false, hasNoRoom: () => false }

export function machineFrom(name: string, record: MachineRecord): Machine {
  const { id, type, group, node, zone, state, settings, cpu, memoryMiB, version, failure } = record
  return {
    id,
    name,
    type,
    state,
    settings,
    dedicationGroups: record.dedicationGroups ?? [],
    ...(group === undefined ? {} : { group }),
    ...(node === undefined ? {} : { nodeName: node, providerID: `simulated:///${node}` }),
    ...(zone === undefined ? {} : { zone }),
    ...(cpu === undefined ? {} : { cpu }),
    ...(memoryMiB === undefined ? {} : { memoryMiB }),
    ...(version === undefined ? {} : { kubernetesVersion: version }),
    ...(failure === undefined ? {} : { failure }),
  }
}

/** Without the failure of the attempt before. */
function into(record: MachineRecord, state: MachineState, now: number): MachineRecord {
  const { failure: _before, ...rest } = record
  return { ...rest, state, since: now }
}

/** The same record: nothing has to be written. @throws ProviderError Conflict while it is being made or terminated */
export function requestStop(record: MachineRecord, now: number): MachineRecord {
  if (record.state === 'Stopped' || record.state === 'Stopping') return record
  refuseWhile(record, ['Creating', 'Terminating', 'Error'], 'stopped')
  return into(record, 'Stopping', now)
}

/** A failed start is repeated. @throws ProviderError Conflict */
export function requestStart(record: MachineRecord, now: number): MachineRecord {
  if (record.state === 'Running' || record.state === 'Starting') return record
  refuseWhile(record, ['Creating', 'Terminating', 'Error', 'Stopping'], 'started')
  return into(record, 'Starting', now)
}

/** @throws ProviderError Conflict when it is not stopped, Refused for a disk that would shrink */
export function requestSettings(record: MachineRecord, settings: MachineSettings): MachineRecord {
  const { rootDiskSizeGB: now = 0 } = record.settings
  if ((settings.rootDiskSizeGB ?? now) < now) {
    throw new ProviderError('Refused', `${record.id}: its root disk has ${now} GB; disks never shrink`)
  }
  if (hasAll(record.settings, settings)) return record
  if (record.state !== 'Stopped') {
    throw new ProviderError('Conflict', `${record.id} is ${record.state}: settings are changed while it is Stopped`)
  }
  const { failure: _before, ...rest } = record
  return { ...rest, settings: { ...record.settings, ...settings } }
}

function hasAll(present: MachineSettings, wanted: MachineSettings): boolean {
  const groups = (settings: MachineSettings) => [...(settings.affinityGroups ?? [])].toSorted().join('\n')
  const { affinityGroups, ...plain } = wanted
  const same = Object.entries(plain).every(([field, value]) => present[field as keyof MachineSettings] === value)
  return same && (affinityGroups === undefined || groups(present) === groups(wanted))
}

export function requestTermination(record: MachineRecord, now: number): MachineRecord {
  return record.state === 'Terminating' ? record : into(record, 'Terminating', now)
}

/** @throws ProviderError Conflict while it does not run */
export function requestVersion(record: MachineRecord, version: string): MachineRecord {
  if (record.version === version) return record
  if (record.state !== 'Running') {
    throw new ProviderError('Conflict', `${record.id} is ${record.state}: only a running machine is upgraded`)
  }
  return { ...record, version }
}

export function newRecord({ name, type, group, settings, zone }: MachineRequest, now: number): MachineRecord {
  return {
    id: `m-${name}`,
    type,
    group,
    state: 'Creating',
    since: now,
    settings,
    cpu: 4,
    memoryMiB: 16_384,
    ...(type === 'etcd' ? {} : { node: name }),
    ...(zone === undefined ? {} : { zone }),
  }
}

function refuseWhile(record: MachineRecord, states: readonly MachineState[], what: string): void {
  if (!states.includes(record.state)) return
  throw new ProviderError('Conflict', `${record.id} is ${record.state}: it cannot be ${what} now`)
}

const NO_ROOM = { code: 'InsufficientCapacity', message: 'there is no room for a machine of this size now' } as const

/** When the job of the machine ends by itself; undefined when it has none. Epoch milliseconds. */
export function dueAt(record: MachineRecord, times: LifeTimes): number | undefined {
  switch (record.state) {
    case 'Stopping':
    case 'Terminating':
      return record.since + times.stopMs
    case 'Starting':
      return record.since + times.startMs
    case 'Creating':
      return record.since + times.createMs
    default:
      return undefined
  }
}

/** The record after the jobs that have ended by now: the same one when none has, undefined when the machine is gone. */
export function advance(
  name: string,
  record: MachineRecord,
  { times, troubles, now }: { times: LifeTimes; troubles: LifeTroubles; now: number },
): MachineRecord | undefined {
  const due = dueAt(record, times)
  if (due === undefined || due > now || troubles.isStuck(name)) return record
  switch (record.state) {
    case 'Stopping':
      return into(record, 'Stopped', now)
    case 'Starting':
      return troubles.hasNoRoom(name, record)
        ? { ...into(record, 'Stopped', now), failure: NO_ROOM }
        : into(record, 'Running', now)
    case 'Creating':
      return troubles.hasNoRoom(name, record)
        ? { ...into(record, 'Error', now), failure: NO_ROOM }
        : into(record, 'Running', now)
    default:
      return undefined
  }
}
