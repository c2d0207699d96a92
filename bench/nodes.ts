/**
 * A rollout over simulated nodes: API writes per node, and the wall clock beside the bound that the machines set. Arguments: how
 * many workers (default 200), and how many at a time (default 20).
 */
import type { KubeClient } from '../src/kube/client.ts'
import { startNodesWorld } from '../test/support/nodes-world.ts'

const WORKERS = Number(process.argv[2] ?? 200)
const AT_A_TIME = Number(process.argv[3] ?? 20)
const CONTROL = 3
/** Of the simulated world and its cloud: off, power, boot, Ready. Milliseconds. */
const DOWN_MS = 30 + 30 + 100 + 50
const MOST_WRITES = 8

const counts = new Map<string, number>()

function counting(client: KubeClient): KubeClient {
  const count = (what: string): void => {
    counts.set(what, (counts.get(what) ?? 0) + 1)
  }
  return {
    ...client,
    create: (type, ...args) => {
      count(type.plural)
      return client.create(type, ...args)
    },
    patch: (type, ref, patch, options) => {
      count(options?.subresource === undefined ? type.plural : `${type.plural}/${options.subresource}`)
      return client.patch(type, ref, patch, options)
    },
    raw: (method, ...args) => {
      if (method !== 'GET') count('evictions')
      return client.raw(method, ...args)
    },
  }
}

const say = (text: string): void => console.error(text)

say(`${CONTROL} control nodes and ${WORKERS} workers, ${AT_A_TIME} at a time`)
const world = await startNodesWorld({ size: { control: CONTROL, workers: WORKERS, etcd: 0 } })
const operator = await world.startOperator(counting)
await world.settled()
await world.want('workers', { offering: 'large' })
counts.clear()
say('rolling')
const startedAt = performance.now()
const cpuBefore = process.cpuUsage()
await world.begin('bench', { maxUnavailable: AT_A_TIME })
const { status } = await world.ended('bench', 1_800_000)
const seconds = (performance.now() - startedAt) / 1000
const cpu = process.cpuUsage(cpuBefore)
const { evictions = 0, configmaps = 0, ...ours } = Object.fromEntries(counts)
const writes = Object.values(ours).reduce((sum, one) => sum + one, 0)
const perNode = Math.round((writes / WORKERS) * 100) / 100
const batches = Math.ceil(WORKERS / AT_A_TIME)
console.log(
  JSON.stringify(
    {
      bench: 'nodes',
      workers: WORKERS,
      atATime: AT_A_TIME,
      phase: status?.phase,
      done: status?.counts?.done,
      writesPerNode: perNode,
      writes: ours,
      evictions,
      /** Of the simulated provider: requests to the cloud, which keeps them in a ConfigMap. */
      providerWrites: configmaps,
      seconds: Math.round(seconds * 10) / 10,
      boundSeconds: (batches * DOWN_MS) / 1000,
      /** Of everything: API server, nodes, cloud and operator share the process. */
      cpuSeconds: Math.round((cpu.user + cpu.system) / 100_000) / 10,
    },
    null,
    2,
  ),
)
await operator.stop()
await world[Symbol.asyncDispose]()
if (status?.phase !== 'Succeeded' || perNode > MOST_WRITES) {
  console.error(`expected a rollout that succeeds with at most ${MOST_WRITES} writes per node`)
  process.exitCode = 1
}
