/** Objects for the tests of the planners. */
import type { KubeObject, ResourceType } from '../../api/resource.ts'
import { formatTimestamp } from '../../api/timestamp.ts'
import type { Action, Plan } from '../engine/plan.ts'
import type { Node, Pod, PodSpec, PodTemplate } from '../kinds.ts'
import { ownerReferenceTo } from '../objects/pods.ts'

export const NOW = Date.UTC(2026, 0, 1, 12)

/** `ms` from now, as objects tell time. */
export function at(ms: number): string {
  return formatTimestamp(NOW + ms)
}

export function meta(name: string, extra: KubeObject['metadata'] = {}): KubeObject['metadata'] {
  return { name, namespace: 'default', uid: `uid-${name}`, resourceVersion: '1', generation: 1, ...extra }
}

export function template(image = 'app:1', labels: Record<string, string> = { app: 'x' }): PodTemplate {
  return { metadata: { labels }, spec: { containers: [{ name: 'main', image }] } }
}

export interface PodInput {
  readonly node?: string
  readonly phase?: string
  readonly ready?: boolean
  readonly readySince?: string
  readonly labels?: Record<string, string>
  readonly annotations?: Record<string, string>
  readonly owner?: readonly [ResourceType, KubeObject]
  readonly deleting?: boolean
  readonly created?: string
  readonly spec?: Partial<PodSpec>
  readonly status?: Pod['status']
}

/** Running and Ready on a node, unless told otherwise. */
export function pod(name: string, input: PodInput = {}): Pod {
  const { node = 'n1', phase = 'Running', ready = phase === 'Running', labels = { app: 'x' }, owner } = input
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: meta(name, {
      labels,
      creationTimestamp: input.created ?? at(-60_000),
      ...(input.annotations === undefined ? {} : { annotations: input.annotations }),
      ...(owner === undefined ? {} : { ownerReferences: [ownerReferenceTo(...owner)] }),
      ...(input.deleting ? { deletionTimestamp: at(30_000), deletionGracePeriodSeconds: 30 } : {}),
    }),
    spec: { ...(node === '' ? {} : { nodeName: node }), containers: [{ name: 'main', image: 'app:1' }], ...input.spec },
    status: input.status ?? {
      phase,
      podIP: '10.128.0.1',
      conditions: [
        { type: 'Ready', status: ready ? 'True' : 'False', lastTransitionTime: input.readySince ?? at(-50_000) },
      ],
    },
  }
}

export interface NodeInput {
  readonly labels?: Record<string, string>
  readonly annotations?: Record<string, string>
  readonly spec?: Node['spec']
  readonly ready?: 'True' | 'False' | 'Unknown'
  readonly allocatable?: Record<string, string>
}

export function node(name: string, input: NodeInput = {}): Node {
  const { ready = 'True', labels = {}, allocatable = { cpu: '4', memory: '8Gi', pods: '10' } } = input
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      uid: `uid-${name}`,
      resourceVersion: '1',
      labels: { 'kubernetes.io/hostname': name, ...labels },
      ...(input.annotations === undefined ? {} : { annotations: input.annotations }),
    },
    ...(input.spec === undefined ? {} : { spec: input.spec }),
    status: { allocatable, conditions: [{ type: 'Ready', status: ready, lastTransitionTime: at(-600_000) }] },
  }
}

/** One line for each action: what it does, to what, and the numbers that matter. */
export function summary({ actions }: Pick<Plan, 'actions'>): string[] {
  return actions.map(lineOf)
}

function lineOf(action: Action): string {
  if (action.kind === 'Bind') return `bind ${action.pod.metadata.name} to ${action.node}`
  const { name, generateName } = action.object.metadata
  const subject = `${action.type.kind} ${name ?? `${generateName}*`}`
  if (action.kind === 'Delete') return `delete ${subject}`
  if (action.kind === 'Create') return `create ${subject}`
  if (action.kind === 'Patch') return `patch ${subject}${replicasOf(action.spec)}`
  return `${action.kind === 'Replace' ? 'replace' : 'status'} ${subject}`
}

function replicasOf(spec: object | undefined): string {
  return spec !== undefined && 'replicas' in spec ? ` to ${spec.replicas}` : ''
}

export function conditionIn(status: object | undefined, type: string): { status: string; reason?: string } | undefined {
  const { conditions = [] } = (status ?? {}) as {
    conditions?: Array<{ type: string; status: string; reason?: string }>
  }
  return conditions.find((condition) => condition.type === type)
}
