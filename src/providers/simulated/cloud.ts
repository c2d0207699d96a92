/**
 * The cloud under simulated nodes: carries out, in its own time, what the records of one ConfigMap ask for.
 *
 *   Stopping     its Node loses power, the simulated kubelet falls silent     -> Stopped
 *   Starting     its Node gets power; the kubelet boots with a new boot ID    -> Running
 *   Creating     a Node is made                                              -> Running
 *   Terminating  its Node is deleted                                         -> gone
 *
 * The Node is changed before the record: a crash in between repeats a change that is made already. Machines without a Node,
 * such as those of an external etcd, only have their record. All state is in the ConfigMap and the Nodes.
 */
import { CONFIG_MAPS, type ConfigMap } from '../../api/core-resources.ts'
import { createController } from '../../controllers/engine/controller.ts'
import type { KubeClient, ObjectRef } from '../../kube/client.ts'
import type { Clock } from '../../kube/clock.ts'
import { createInformer } from '../../kube/informer.ts'
import { type Log, silentLog } from '../../kube/log.ts'
import { advance, dueAt, type MachineRecord } from '../machine-life.ts'
import { recordsOf, updateMachineMap } from './machine-map.ts'
import { createNodePower, NOT_YET, type NodePower } from './node-power.ts'
import { type CloudScript, scriptOf } from './script.ts'

export interface SimulatedCloudOptions {
  /** Of the API server that holds the ConfigMap. */
  readonly client: KubeClient
  /** Of the API server that holds the Nodes. Default: the same. */
  readonly nodeClient?: KubeClient
  readonly configMap: Required<ObjectRef>
  readonly clock: Clock
  readonly log?: Log
}

export interface SimulatedCloud {
  /** Machines stay as they are, and go on with the next start. */
  stop(): Promise<void>
}

/** How soon a Node that is on its way is looked at again, milliseconds. */
const LOOK_AGAIN_MS = 50

export async function startSimulatedCloud(options: SimulatedCloudOptions): Promise<SimulatedCloud> {
  const { client, configMap: ref, clock, log = silentLog } = options
  const stopping = new AbortController()
  const { signal } = stopping
  const maps = createInformer(client, CONFIG_MAPS, {
    namespace: ref.namespace,
    fieldSelector: `metadata.name=${ref.name}`,
    clock,
    log,
  })
  const power = createNodePower(options.nodeClient ?? client)
  const controller = createController({
    name: 'simulated-cloud',
    concurrency: 1,
    clock,
    log,
    reconcile: async () => {
      const present = maps.get(ref.namespace, ref.name)
      return present === undefined ? {} : { requeueAfterMs: await pass({ client, ref, power, clock }, present) }
    },
  })
  maps.on(() => controller.enqueue(ref.name))
  await maps.start(signal)
  const running = controller.run(signal)
  return {
    async stop() {
      stopping.abort()
      await Promise.all([running, maps.stopped()])
    },
  }
}

interface Pass {
  readonly client: KubeClient
  readonly ref: ObjectRef
  readonly power: NodePower
  readonly clock: Clock
}

type Changes = Map<string, { readonly from: MachineRecord; readonly to: MachineRecord | undefined }>

/** Answers when to look again, milliseconds; undefined when only a change of the ConfigMap can matter. */
async function pass(on: Pass, configMap: ConfigMap): Promise<number | undefined> {
  const script = scriptOf(configMap)
  const changes: Changes = new Map()
  const waits: number[] = []
  for (const [name, record] of recordsOf(configMap)) {
    const wait = await machinePass(on, script, { name, record, changes })
    if (wait !== undefined) waits.push(wait)
  }
  if (changes.size > 0) await write(on.client, on.ref, changes)
  return waits.length === 0 ? undefined : Math.max(1, Math.min(...waits))
}

async function machinePass(
  { power, clock }: Pass,
  script: CloudScript,
  { name, record, changes }: { name: string; record: MachineRecord; changes: Changes },
): Promise<number | undefined> {
  const due = dueAt(record, script.times)
  if (due === undefined || script.isStuck(name)) return undefined
  const now = clock.now()
  const to = advance(name, record, { times: script.times, troubles: script, now })
  if (to === record) return due - now
  if ((await carryOut(power, script, { name, record, to })) === NOT_YET) return LOOK_AGAIN_MS
  changes.set(name, { from: record, to })
  return undefined
}

interface Step {
  readonly name: string
  readonly record: MachineRecord
  readonly to: MachineRecord | undefined
}

async function carryOut(power: NodePower, script: CloudScript, { name, record, to }: Step): Promise<unknown> {
  if (record.node === undefined) return undefined
  if (to === undefined) return await power.remove(record.node)
  if (to.state === 'Stopped' && record.state === 'Stopping') return await power.off(record.node)
  if (to.state !== 'Running') return undefined
  return await power.on(record.node, { neverReady: script.neverReturns.has(name), machine: to })
}

/** Only where the record is still the one that was carried out: a request that came in between is for the next pass. */
async function write(client: KubeClient, ref: ObjectRef, changes: Changes): Promise<void> {
  await updateMachineMap(client, ref, (configMap) => {
    const records = recordsOf(configMap)
    const unchanged = [...changes].filter(
      ([name, { from }]) => JSON.stringify(records.get(name)) === JSON.stringify(from),
    )
    return new Map(unchanged.map(([name, { to }]) => [name, to]))
  })
}
