/**
 * A provider in memory, for tests of what uses a provider. It keeps the rules of the interface (it passes the same contract
 * suite as the others) and can be told to be slow, full, throttled or stuck.
 */
import type { Clock } from '../../kube/clock.ts'
import { advance, type LifeTimes, type MachineRecord } from '../machine-life.ts'
import type { ClusterTarget, Provider } from '../provider.ts'
import { type CloudFacts, createRecordProvider, type RecordStore } from '../record-provider.ts'

/** What outlives a provider, as a cloud does; tests write to it. */
export interface FakeCloud {
  readonly machines: Map<string, MachineRecord>
  /** Names. */
  readonly stuck: Set<string>
  readonly etcdDown: Set<string>
  readonly apiDown: Set<string>
  /** Names, or offerings. */
  readonly noRoom: Set<string>
  readonly fixedDiskOfferings: Set<string>
  /** Thrown by the next calls, first to last. */
  readonly failures: Error[]
  /** Every call, `update` or `read`, with what it changed. */
  readonly calls: string[]
}

export function createFakeCloud(machines: Readonly<Record<string, MachineRecord>> = {}): FakeCloud {
  return {
    machines: new Map(Object.entries(machines)),
    stuck: new Set(),
    etcdDown: new Set(),
    apiDown: new Set(),
    noRoom: new Set(),
    fixedDiskOfferings: new Set(),
    failures: [],
    calls: [],
  }
}

export interface FakeProviderOptions {
  readonly clock: Clock
  readonly cloud: FakeCloud
  readonly type?: string
  /** Default: all 0. */
  readonly times?: Partial<LifeTimes>
}

export function createFakeProvider({ clock, cloud, type = 'fake', times = {} }: FakeProviderOptions): Provider {
  return createRecordProvider(type, createStore(clock, cloud, { stopMs: 0, startMs: 0, createMs: 0, ...times }))
}

function createStore(clock: Clock, cloud: FakeCloud, times: LifeTimes): RecordStore {
  const troubles = {
    isStuck: (name: string) => cloud.stuck.has(name),
    hasNoRoom: (name: string, { settings }: MachineRecord) =>
      cloud.noRoom.has(name) || cloud.noRoom.has(settings.offering ?? ''),
  }
  const facts = (): CloudFacts => ({ ...cloud, records: new Map(cloud.machines), troubles })
  const settle = (): void => {
    for (const [name, record] of cloud.machines)
      keep(cloud, name, advance(name, record, { times, troubles, now: clock.now() }))
  }
  const begin = (call: string, { name }: ClusterTarget): void => {
    cloud.calls.push(`${call} ${name}`)
    const failure = cloud.failures.shift()
    if (failure !== undefined) throw failure
    settle()
  }
  return {
    async read(cluster) {
      begin('read', cluster)
      return facts()
    },
    async update(cluster, change) {
      begin('update', cluster)
      for (const [name, record] of change(new Map(cloud.machines), clock.now())) keep(cloud, name, record)
      return facts()
    },
  }
}

function keep({ machines }: FakeCloud, name: string, record: MachineRecord | undefined): void {
  if (record === undefined) machines.delete(name)
  else machines.set(name, record)
}
