/**
 * Cells of the drain grid that `kubectl drain` has a word on, played twice on simulated nodes: by the real kubectl on one node and
 * by our drain on its twin. Both must leave the same pods, and agree on whether the node is drained.
 */
import { CONFIG_MAPS, NODES } from '../../src/api/core-resources.ts'
import type { KubeObject, ResourceType } from '../../src/api/resource.ts'
import { drainPass, EMPTY_MEMORY, readDrainView } from '../../src/controllers/node-operation/drain/drain-pass.ts'
import { DAEMON_SETS, DISRUPTION_BUDGETS, DRAIN_PODS } from '../../src/controllers/node-operation/drain/kinds.ts'
import { DEFAULT_DRAIN_POLICY, type DrainMemory } from '../../src/core/drain/model.ts'
import type { KubeClient } from '../../src/kube/client.ts'
import { systemClock } from '../../src/kube/clock.ts'
import { BUDGETS, type Cell } from './drain-grid.ts'
import { eventually, KUBECTL, run } from './run.ts'

export const SAMPLE_KINDS = [
  'managed',
  'volume',
  'critical',
  'emptyDir',
  'finished',
  'terminating',
  'unmanaged',
  'daemon',
  'mirror',
] as const

export interface SampleCell {
  readonly index: number
  readonly kind: (typeof SAMPLE_KINDS)[number]
  readonly budget: Cell['budget']
  readonly force: boolean
  readonly deleteEmptyDirData: boolean
}

/** Has no factor in common with the number of cells, so that every step meets other kinds, budgets and flags. */
const STRIDE = 37

/** So many different cells out of all of them. */
export function sampleCells(count: number): SampleCell[] {
  const all = SAMPLE_KINDS.flatMap((kind) =>
    BUDGETS.flatMap((budget) =>
      [true, false].flatMap((force) =>
        [true, false].map((deleteEmptyDirData) => ({ kind, budget, force, deleteEmptyDirData })),
      ),
    ),
  )
  return Array.from({ length: count }, (_, n) => ({ ...all[(n * STRIDE) % all.length]!, index: n }))
}

export const nodeOf = ({ index }: SampleCell, side: Side): string => `${side}-${index}`
export type Side = 'kubectl' | 'kobe'

export interface End {
  readonly drained: boolean
  /** Of the cell's own pods. */
  readonly left: number
}

const TIMEOUT_SECONDS = 3

export async function playSample(
  client: KubeClient,
  kubeconfig: string,
  cell: SampleCell,
): Promise<{ kubectl: End; kobe: End; told: string }> {
  await Promise.all([prepare(client, cell, 'kubectl'), prepare(client, cell, 'kobe')])
  const [byKubectl, byKobe] = await Promise.all([kubectlDrain(kubeconfig, cell), kobeDrain(client, cell)])
  const end = async (side: Side, drained: boolean): Promise<End> => ({
    drained,
    left: await podsLeft(client, cell, side),
  })
  const told = `kubectl: ${byKubectl.stderr}\nkobe: ${byKobe.message}`
  return {
    kubectl: await end('kubectl', byKubectl.code === 0),
    kobe: await end('kobe', byKobe.outcome === 'Drained'),
    told,
  }
}

function kubectlDrain(kubeconfig: string, cell: SampleCell) {
  const flags = [...(cell.force ? ['--force'] : []), ...(cell.deleteEmptyDirData ? ['--delete-emptydir-data'] : [])]
  const args = ['drain', nodeOf(cell, 'kubectl'), '--ignore-daemonsets', `--timeout=${TIMEOUT_SECONDS}s`, ...flags]
  return run(KUBECTL, ['--kubeconfig', kubeconfig, ...args])
}

async function kobeDrain(client: KubeClient, cell: SampleCell) {
  const node = nodeOf(cell, 'kobe')
  await client.patch(NODES, { name: node }, { type: 'merge', body: { spec: { unschedulable: true } } })
  const { force, deleteEmptyDirData } = cell
  const startedAt = systemClock.now()
  const policy = {
    ...DEFAULT_DRAIN_POLICY,
    timeoutMs: TIMEOUT_SECONDS * 1000,
    retryIntervalMs: 1_000,
    force,
    deleteEmptyDirData,
  }
  const deps = { client, now: () => systemClock.now(), random: Math.random }
  let memory: DrainMemory = EMPTY_MEMORY
  for (;;) {
    const task = {
      node: { name: node, reachable: true, machineOff: false },
      policy,
      startedAt,
      operationDeadline: startedAt + 600_000,
      memory,
    }
    const pass = await drainPass(deps, task, await readDrainView(client, node))
    if (pass.plan.outcome !== 'InProgress') return pass.plan
    memory = pass.memory
    await systemClock.after(Math.min(200, pass.plan.requeueAfterMs ?? 200))
  }
}

async function podsLeft(client: KubeClient, cell: SampleCell, side: Side): Promise<number> {
  const { items } = await client.list(DRAIN_PODS, { fieldSelector: `spec.nodeName=${nodeOf(cell, side)}` })
  return items.filter(({ metadata }) => metadata.deletionTimestamp === undefined).length
}

async function prepare(client: KubeClient, cell: SampleCell, side: Side): Promise<void> {
  const name = nodeOf(cell, side)
  const labels = { app: name }
  const owner = await client.get(CONFIG_MAPS, { name: 'owner', namespace: 'default' })
  if (cell.kind === 'daemon') await client.create(DAEMON_SETS, daemonSet(name))
  // The kubelet makes the mirror pods of its own node.
  else if (cell.kind !== 'mirror') await client.create(DRAIN_PODS, podFor(cell, name, owner) as never)
  for (const [budget, minAvailable] of budgetsFor(cell)) {
    await client.create(DISRUPTION_BUDGETS, {
      metadata: { name: `${name}-${budget}`, namespace: 'default' },
      spec: { minAvailable, selector: { matchLabels: labels } },
    })
  }
  await eventually(`the pod of ${name} is there`, 90_000, async () => {
    const { items } = await client.list(DRAIN_PODS, { fieldSelector: `spec.nodeName=${name}` })
    const [pod] = items
    return pod !== undefined && (cell.kind === 'finished' ? pod.status?.phase === 'Succeeded' : isReady(pod))
  })
  await eventually(`the budgets of ${name} are counted`, 90_000, async () => {
    const { items } = await client.list(DISRUPTION_BUDGETS, { namespace: 'default' })
    const own = items.filter(({ metadata }) => metadata.name?.startsWith(`${name}-`))
    const counted = cell.kind === 'finished' || cell.kind === 'mirror' ? 0 : 1
    return own.every(({ status }) => status?.observedGeneration === 1 && (status.currentHealthy ?? 0) >= counted)
  })
  if (cell.kind === 'terminating')
    await client.delete(DRAIN_PODS, { name, namespace: 'default' }, { gracePeriodSeconds: 1 })
}

const isReady = ({ status }: { status?: { conditions?: readonly { type: string; status: string }[] } }): boolean =>
  status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') ?? false

function budgetsFor({ budget }: SampleCell): readonly (readonly [string, number])[] {
  if (budget === 'none') return []
  if (budget === 'zero') return [['a', 1]]
  return budget === 'one'
    ? [['a', 0]]
    : [
        ['a', 0],
        ['b', 0],
      ]
}

/** Any controller kind counts: a ConfigMap stays what it is, and makes no pods. */
function ownerOf({ metadata }: KubeObject) {
  const { name = '', uid = '' } = metadata
  return { apiVersion: 'v1', kind: 'ConfigMap', name, uid, controller: true }
}

function podFor({ kind }: SampleCell, name: string, owner: KubeObject): KubeObject & { spec: object } {
  const annotations = {
    ...(kind === 'finished' ? { 'sim.kobe.kunobi.ninja/run-for': '20ms' } : {}),
    ...(kind === 'terminating' ? { 'sim.kobe.kunobi.ninja/ignore-termination': 'true' } : {}),
  }
  const volumes =
    kind === 'emptyDir'
      ? [{ name: 'tmp', emptyDir: {} }]
      : kind === 'volume'
        ? [{ name: 'data', persistentVolumeClaim: { claimName: `data-${name}` } }]
        : []
  return {
    metadata: {
      name,
      namespace: 'default',
      labels: { app: name },
      annotations,
      ...(kind === 'unmanaged' ? {} : { ownerReferences: [ownerOf(owner)] }),
    },
    spec: {
      nodeName: name,
      restartPolicy: kind === 'finished' ? 'Never' : 'Always',
      containers: [{ name: 'main', image: 'main:1' }],
      volumes,
      ...(kind === 'critical' ? { priorityClassName: 'system-cluster-critical' } : {}),
    },
  }
}

function daemonSet(name: string): KubeObject & { spec: object } {
  const labels = { app: name }
  const nodeSelector = { 'kubernetes.io/hostname': name }
  const spec = { nodeSelector, containers: [{ name: 'main', image: 'main:1' }] }
  return {
    metadata: { name, namespace: 'default' },
    spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
  }
}

export const SAMPLE_OWNER: readonly [ResourceType, KubeObject] = [
  CONFIG_MAPS,
  { metadata: { name: 'owner', namespace: 'default' } },
]
