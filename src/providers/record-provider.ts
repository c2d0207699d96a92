/**
 * A provider over machine records, wherever they are kept. The fake keeps them in memory, the simulated one in a ConfigMap;
 * what a call means is the same for both.
 */
import {
  type LifeTroubles,
  type MachineRecord,
  machineFrom,
  newRecord,
  requestSettings,
  requestStart,
  requestStop,
  requestTermination,
  requestVersion,
} from './machine-life.ts'
import {
  type ClusterTarget,
  type EtcdHealth,
  type Machine,
  type MachineSettings,
  type MachineType,
  type Provider,
  type ProviderCapabilities,
  ProviderError,
  type SettingsProblem,
} from './provider.ts'

export type Records = ReadonlyMap<string, MachineRecord>

/** What a cloud knows of itself beside its machines. */
export interface CloudFacts {
  readonly records: Records
  readonly troubles: Pick<LifeTroubles, 'hasNoRoom'>
  /** Offerings whose disks have a fixed size. */
  readonly fixedDiskOfferings: ReadonlySet<string>
  /** Of the cluster as a whole. */
  readonly clusterSettings?: MachineSettings
  /** Names of machines whose etcd member does not answer, or whose API server does not. */
  readonly etcdDown: ReadonlySet<string>
  readonly apiDown: ReadonlySet<string>
}

export interface RecordStore {
  /** @throws ProviderError Throttled, Transient */
  read(cluster: ClusterTarget): Promise<CloudFacts>
  /** Applies `change` to what is there now and keeps the result; undefined removes the machine. */
  update(
    cluster: ClusterTarget,
    change: (records: Records, now: number) => ReadonlyMap<string, MachineRecord | undefined>,
  ): Promise<CloudFacts>
}

const CAPABILITIES: ProviderCapabilities = {
  restart: true,
  replace: true,
  changes: new Set(['offering', 'rootDiskSizeGB', 'affinityGroups']),
  upgrade: true,
  restartMs: 5_000,
}

export function createRecordProvider(type: string, store: RecordStore): Provider {
  const changeOne = async (
    cluster: ClusterTarget,
    id: string,
    change: (record: MachineRecord, now: number) => MachineRecord,
  ): Promise<Machine> => {
    let name = ''
    const { records } = await store.update(cluster, (present, now) => {
      const [found, record] = byId(present, id)
      name = found
      return new Map([[found, change(record, now)]])
    })
    return machineOf(records, name)
  }
  return {
    type,
    capabilities: () => CAPABILITIES,
    listMachines: async (cluster) => machinesOf((await store.read(cluster)).records),
    stop: (cluster, id) => changeOne(cluster, id, requestStop),
    start: (cluster, id) => changeOne(cluster, id, requestStart),
    applySettings: (cluster, id, settings) =>
      changeOne(cluster, id, (record) => requestSettings(record, changeable(settings))),
    terminate: (cluster, id) => terminate(store, cluster, id),
    createMachines: async (cluster, requests) => {
      const { records } = await store.update(
        cluster,
        (present, now) =>
          new Map(requests.filter(({ name }) => !present.has(name)).map((one) => [one.name, newRecord(one, now)])),
      )
      return requests.map(({ name }) => machineOf(records, name))
    },
    upgradeMachine: (cluster, id, version) => changeOne(cluster, id, (record) => requestVersion(record, version)),
    clusterUpgradeStep: async (cluster, id, version) => {
      const machine = await changeOne(cluster, id, (record) => requestVersion(record, version))
      return { done: machine.kubernetesVersion === version }
    },
    etcdHealth: async (cluster) => etcdOf(await store.read(cluster)),
    serves: async (cluster, id) => {
      const { records, apiDown } = await store.read(cluster)
      return [...records].some(([name, one]) => one.id === id && one.state === 'Running' && !apiDown.has(name))
    },
    clusterSettings: async (cluster) => (await store.read(cluster)).clusterSettings,
    validateSettings: async (cluster, machineType, settings) =>
      problemsOf(await store.read(cluster), machineType, settings),
  }
}

async function terminate(store: RecordStore, cluster: ClusterTarget, id: string): Promise<Machine | undefined> {
  const { records } = await store.update(cluster, (present, now) => {
    const found = [...present].filter(([, record]) => record.id === id)
    return new Map(found.map(([name, record]) => [name, requestTermination(record, now)]))
  })
  return machinesOf(records).find((machine) => machine.id === id)
}

function byId(records: Records, id: string): readonly [string, MachineRecord] {
  const found = [...records].find(([, record]) => record.id === id)
  if (found === undefined) throw new ProviderError('NotFound', `there is no machine ${id}`)
  return found
}

function machineOf(records: Records, name: string): Machine {
  const record = records.get(name)
  if (record === undefined) throw new ProviderError('NotFound', `there is no machine named ${name}`)
  return machineFrom(name, record)
}

function machinesOf(records: Records): readonly Machine[] {
  return [...records].map(([name, record]) => machineFrom(name, record))
}

/** @throws ProviderError Refused for what only a new machine can have */
function changeable(settings: MachineSettings): MachineSettings {
  const { image, ...rest } = settings
  if (image !== undefined) throw new ProviderError('Refused', 'the image of a machine is chosen when it is made')
  return rest
}

/** The members of an external etcd, or the control machines of a stacked one. */
function etcdOf({ records, etcdDown }: CloudFacts): EtcdHealth {
  const external = [...records].filter(([, { type }]) => type === 'etcd')
  const hosts = external.length > 0 ? external : [...records].filter(([, { type }]) => type === 'control')
  const members = hosts.map(([name, { id, state }]) => {
    const healthy = state === 'Running' && !etcdDown.has(name)
    return { name, machineId: id, healthy, voter: true, message: healthy ? 'healthy' : `${name} does not answer` }
  })
  return { members }
}

function problemsOf(
  { records, fixedDiskOfferings }: CloudFacts,
  type: MachineType,
  { offering, rootDiskSizeGB, affinityGroups }: MachineSettings,
): readonly SettingsProblem[] {
  const mine = [...records.values()].filter((record) => record.type === type)
  const problems: SettingsProblem[] = []
  const largest = Math.max(0, ...mine.map(({ settings }) => settings.rootDiskSizeGB ?? 0))
  if (rootDiskSizeGB !== undefined && rootDiskSizeGB < largest) {
    const message = `a root disk of ${rootDiskSizeGB} GB is smaller than the ${largest} GB that a machine has; disks never shrink`
    problems.push({ field: 'rootDiskSizeGB', message, onlyForExisting: true })
  }
  const fixed = [offering, ...mine.map(({ settings }) => settings.offering)].find((one) =>
    fixedDiskOfferings.has(one ?? ''),
  )
  if (rootDiskSizeGB !== undefined && fixed !== undefined) {
    const message = `the disk of offering ${fixed} has a fixed size`
    problems.push({ field: 'rootDiskSizeGB', message, onlyForExisting: true })
  }
  const dedicated = new Set(mine.flatMap(({ dedicationGroups }) => dedicationGroups ?? []))
  const named = (affinityGroups ?? []).filter((group) => dedicated.has(group))
  if (named.length > 0) {
    const message = `${named.join(', ')} dedicates hosts and is managed by the provider: leave it out`
    problems.push({ field: 'affinityGroups', message, onlyForExisting: false })
  }
  return problems
}
