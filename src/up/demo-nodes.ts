/**
 * A standing cluster to play with: 3 control nodes and 5 workers that are simulated, workloads with budgets on them, their
 * machines, and the ManagedCluster that describes it all.
 */
import { CONFIG_MAPS } from '../api/core-resources.ts'
import type { KubeObject, ResourceType } from '../api/resource.ts'
import { withManagedClusterDefaults } from '../api/v1alpha1/defaults.ts'
import type { ManagedClusterInput } from '../api/v1alpha1/managed-cluster.ts'
import { MANAGED_CLUSTERS } from '../api/v1alpha1/resources.ts'
import type { KubeClient } from '../kube/client.ts'
import { getIfPresent } from '../kube/get-if-present.ts'
import type { MachineRecord } from '../providers/machine-life.ts'
import { dataOf } from '../providers/simulated/machine-map.ts'
import type { NodeSpec } from '../simulated-world/node-spec.ts'
import { createIfMissing } from './seed.ts'

export const DEMO_CLUSTER = 'demo'
export const DEMO_CONFIG_MAP = 'machines'
const WORKLOAD_NAMESPACE = 'default'

export interface DemoSize {
  readonly control: number
  readonly workers: number
  /** Machines of an external etcd; 0: etcd is stacked on the control nodes. */
  readonly etcd: number
}

export const DEMO_SIZE: DemoSize = { control: 3, workers: 5, etcd: 0 }

const numbered = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}-${index + 1}`)

const ZONES = ['a', 'b', 'c'] as const
const zoneOf = (name: string): string => ZONES[(Number(name.split('-').at(-1)) - 1) % ZONES.length] ?? 'a'

/** Control nodes take no ordinary pods. */
export function demoNodes({ control, workers }: DemoSize): readonly NodeSpec[] {
  const taint = { key: 'node-role.kubernetes.io/control-plane', effect: 'NoSchedule' }
  return [
    ...numbered('control', control).map((name) => ({
      name,
      zone: zoneOf(name),
      labels: { 'node-role.kubernetes.io/control-plane': '' },
      taints: [taint],
    })),
    ...numbered('worker', workers).map((name) => ({ name, zone: zoneOf(name) })),
  ]
}

export function demoMachines({ control, workers, etcd }: DemoSize): ReadonlyMap<string, MachineRecord> {
  const record = (name: string, type: MachineRecord['type'], group: string): [string, MachineRecord] => [
    name,
    {
      id: `m-${name}`,
      type,
      group,
      zone: zoneOf(name),
      state: 'Running',
      since: 0,
      settings: { offering: 'small', rootDiskSizeGB: 20, affinityGroups: [] },
      cpu: 4,
      memoryMiB: 16_384,
      ...(type === 'etcd' ? {} : { node: name }),
    },
  ]
  return new Map([
    ...numbered('control', control).map((name) => record(name, 'control', 'control')),
    ...numbered('worker', workers).map((name) => record(name, 'worker', 'workers')),
    ...numbered('etcd', etcd).map((name) => record(name, 'etcd', 'etcd')),
  ])
}

export function demoCluster(namespace: string, { etcd }: DemoSize): ManagedClusterInput {
  const settings = { offering: 'small', rootDiskSizeGB: 20 }
  return {
    metadata: { name: DEMO_CLUSTER, namespace },
    spec: {
      connection: { inCluster: true },
      provider: { type: 'simulated', simulated: { configMap: DEMO_CONFIG_MAP } },
      nodeGroups: [
        ...(etcd > 0 ? [{ name: 'etcd', type: 'etcd' as const, settings }] : []),
        { name: 'control', type: 'control' as const, settings },
        { name: 'workers', type: 'worker' as const, settings, maxUnavailable: 2 },
      ],
      drain: { timeout: '60s', retryInterval: '1s' },
      nodeTimeout: '5m',
      pace: { canary: 'Off' },
    },
  }
}

/** Deployments, a StatefulSet and a DaemonSet, with budgets that a careful drain has to wait for. */
export function demoWorkloads(): readonly KubeObject[] {
  return [
    workload('Deployment', 'web', { replicas: 6 }),
    workload('Deployment', 'api', { replicas: 3 }),
    workload('StatefulSet', 'db', { replicas: 3, serviceName: 'db' }),
    workload('DaemonSet', 'agent', {}),
    budget('web', { maxUnavailable: 1 }),
    budget('api', { minAvailable: 2 }),
    budget('db', { maxUnavailable: 1 }),
  ]
}

function workload(kind: string, name: string, spec: object): KubeObject & { spec: object } {
  const template = {
    metadata: { labels: { app: name } },
    spec: {
      containers: [{ name: 'main', image: `${name}:1`, resources: { requests: { cpu: '100m', memory: '64Mi' } } }],
    },
  }
  return {
    apiVersion: 'apps/v1',
    kind,
    metadata: { name, namespace: WORKLOAD_NAMESPACE },
    spec: { selector: { matchLabels: { app: name } }, template, ...spec },
  }
}

function budget(name: string, spec: object): KubeObject & { spec: object } {
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name, namespace: WORKLOAD_NAMESPACE },
    spec: { selector: { matchLabels: { app: name } }, ...spec },
  }
}

const PLURALS: Readonly<Record<string, string>> = {
  Deployment: 'deployments',
  StatefulSet: 'statefulsets',
  DaemonSet: 'daemonsets',
  PodDisruptionBudget: 'poddisruptionbudgets',
}

function typeOf({ apiVersion = '', kind = '' }: KubeObject): ResourceType {
  const [group = '', version = ''] = apiVersion.split('/')
  return { group, version, kind, plural: PLURALS[kind] ?? '', namespaced: true }
}

/** What is there already stays as it is. A cluster that was destroyed is made anew, with all its machines. */
export async function seedDemo(client: KubeClient, namespace: string, size: DemoSize = DEMO_SIZE): Promise<void> {
  await seedMachines(client, namespace, size)
  for (const object of demoWorkloads()) await createIfMissing(client, typeOf(object), object)
  await createIfMissing(client, MANAGED_CLUSTERS, withManagedClusterDefaults(demoCluster(namespace, size)))
}

async function seedMachines(client: KubeClient, namespace: string, size: DemoSize): Promise<void> {
  const data = dataOf(demoMachines(size))
  const ref = { name: DEMO_CONFIG_MAP, namespace }
  const cluster = await getIfPresent(client, MANAGED_CLUSTERS, { name: DEMO_CLUSTER, namespace })
  await createIfMissing(client, CONFIG_MAPS, { metadata: ref, data })
  if (cluster === undefined) await client.replace(CONFIG_MAPS, { ...(await client.get(CONFIG_MAPS, ref)), data })
}
