/**
 * Judges what happens to the nodes of a cluster over every resourceVersion: each change of a Node, a Pod and the machines is
 * looked at, none is skipped.
 *
 *   never more unavailable nodes of a type than allowed: not Ready, or held out of service by a cordon of ours
 *   never fewer ready pods of a workload than its budget asks for
 *   never more than a minority of the machines with etcd down
 */
import { CONFIG_MAPS, NODES, type Node } from '../../src/api/core-resources.ts'
import type { KubeObject, ResourceType } from '../../src/api/resource.ts'
import { Annotation } from '../../src/api/v1alpha1/labels.ts'
import { DRAIN_PODS } from '../../src/controllers/node-operation/drain/kinds.ts'
import type { RoomPod } from '../../src/core/drain/room.ts'
import type { KubeClient } from '../../src/kube/client.ts'
import { recordsOf } from '../../src/providers/simulated/machine-map.ts'
import { NODE_ANNOTATIONS } from '../../src/simulated-world/annotations.ts'

const CONTROL = 'node-role.kubernetes.io/control-plane'

export interface Allowed {
  readonly workers: number
  readonly control: number
  /** Ready pods that each workload must keep, by the label `app`. */
  readonly pods: Readonly<Record<string, number>>
  /** Nodes that are cordoned by a person, and stay so. */
  readonly ignored?: readonly string[]
}

export interface NodeLaws extends Seen {
  stop(): Promise<void>
}

interface Seen {
  readonly violations: string[]
  /** Most that were seen at a time. */
  readonly most: { workers: number; control: number; etcdDown: number }
  /** Fewest ready pods, by workload. */
  readonly fewest: Map<string, number>
  /** Nodes in the order in which they went down first. */
  readonly order: string[]
  readonly counts: { events: number }
}

export async function startNodeLaws(client: KubeClient, allowed: Allowed, namespace: string): Promise<NodeLaws> {
  const seen: Seen = {
    violations: [],
    most: { workers: 0, control: 0, etcdDown: 0 },
    fewest: new Map(),
    order: [],
    counts: { events: 0 },
  }
  const stopping = new AbortController()
  const { signal } = stopping
  const running = [
    await follow({ client, type: NODES, signal, seen }, (nodes) => judgeNodes(seen, allowed, nodes)),
    await follow({ client, type: DRAIN_PODS, signal, seen }, (pods) => judgePods(seen, allowed, pods)),
    await follow({ client, type: CONFIG_MAPS, namespace, signal, seen }, (maps) => {
      for (const map of maps) if (map.metadata.name === 'machines') judgeMachines(seen, [...recordsOf(map).values()])
    }),
  ]
  return {
    ...seen,
    async stop() {
      stopping.abort()
      await Promise.all(running.map(({ done }) => done))
    },
  }
}

interface Followed<T extends KubeObject> {
  readonly client: KubeClient
  readonly type: ResourceType<T>
  readonly namespace?: string
  readonly signal: AbortSignal
  readonly seen: Seen
}

/** Judges all objects as they were at each resourceVersion from now on. */
async function follow<T extends KubeObject>(
  { client, type, namespace, signal, seen }: Followed<T>,
  judge: (objects: readonly T[]) => void,
): Promise<{ readonly done: Promise<void> }> {
  const scope = namespace === undefined ? {} : { namespace }
  const { items, resourceVersion } = await client.list(type, scope)
  const present = new Map(items.map((item) => [item.metadata.uid, item]))
  judge([...present.values()])
  const watch = async (): Promise<void> => {
    let from = resourceVersion
    while (!signal.aborted) {
      for await (const event of client.watch(type, { ...scope, resourceVersion: from, signal })) {
        from = event.object.metadata.resourceVersion ?? from
        if (event.type === 'BOOKMARK') continue
        seen.counts.events += 1
        if (event.type === 'DELETED') present.delete(event.object.metadata.uid)
        else present.set(event.object.metadata.uid, event.object)
        judge([...present.values()])
      }
    }
  }
  return { done: watch() }
}

function note(seen: Seen, violation: string): void {
  if (!seen.violations.includes(violation)) seen.violations.push(violation)
}

function judgeNodes(seen: Seen, allowed: Allowed, nodes: readonly Node[]): void {
  for (const node of nodes) if (isDown(node) && !seen.order.includes(nameOf(node))) seen.order.push(nameOf(node))
  const down = nodes.filter((node) => isUnavailable(node) && !allowed.ignored?.includes(nameOf(node)))
  const control = down.filter(({ metadata }) => metadata.labels?.[CONTROL] !== undefined).map(nameOf)
  const workers = down.filter(({ metadata }) => metadata.labels?.[CONTROL] === undefined).map(nameOf)
  seen.most.workers = Math.max(seen.most.workers, workers.length)
  seen.most.control = Math.max(seen.most.control, control.length)
  if (workers.length > allowed.workers) note(seen, `workers unavailable: ${workers.join(', ')}`)
  if (control.length > allowed.control) note(seen, `control nodes unavailable: ${control.join(', ')}`)
}

function judgePods(seen: Seen, allowed: Allowed, pods: readonly RoomPod[]): void {
  for (const [app, least] of Object.entries(allowed.pods)) {
    const ready = pods.filter((pod) => pod.metadata.labels?.['app'] === app && isHealthy(pod)).length
    seen.fewest.set(app, Math.min(seen.fewest.get(app) ?? ready, ready))
    if (ready < least) note(seen, `${app}: ${ready} ready pods, at least ${least} must be`)
  }
}

function judgeMachines(seen: Seen, records: readonly { readonly type: string; readonly state: string }[]): void {
  const external = records.filter(({ type }) => type === 'etcd')
  const voters = external.length > 0 ? external : records.filter(({ type }) => type === 'control')
  const down = voters.filter(({ state }) => state !== 'Running').length
  seen.most.etcdDown = Math.max(seen.most.etcdDown, down)
  if (voters.length - down < Math.floor(voters.length / 2) + 1)
    note(seen, `quorum lost: ${down} of ${voters.length} are down`)
}

const nameOf = ({ metadata }: KubeObject): string => metadata.name ?? ''

const isReady = (conditions: readonly { readonly type: string; readonly status: string }[] | undefined): boolean =>
  conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false

const isHealthy = ({ metadata, status }: RoomPod): boolean =>
  metadata.deletionTimestamp === undefined && isReady(status?.conditions)

/** By its machine, which tells at once what its conditions tell after a while. */
const isDown = ({ metadata, status }: Node): boolean =>
  metadata.annotations?.[NODE_ANNOTATIONS.power] === 'off' ||
  metadata.annotations?.[NODE_ANNOTATIONS.machine] !== 'running' ||
  !isReady(status?.conditions)

const isUnavailable = (node: Node): boolean =>
  isDown(node) || node.metadata.annotations?.[Annotation.cordonedBy] !== undefined
