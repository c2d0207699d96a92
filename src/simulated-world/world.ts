/**
 * A cluster's world without machines: the controllers, the scheduler and the kubelets that a Kubernetes API server needs
 * so that workloads run. Pods are only objects that change as if something ran: there are no containers and no logs.
 * Knows nothing but a client, so it also runs, as scheduler and kubelet alone, beside real controllers.
 */
import { randomUUID } from 'node:crypto'
import type { KubeObject } from '../api/resource.ts'
import type { KubeClient } from '../kube/client.ts'
import { type Clock, systemClock } from '../kube/clock.ts'
import { isKubeError } from '../kube/errors.ts'
import { createEventRecorder, type EventRecorder } from '../kube/event-recorder.ts'
import { type Log, silentLog } from '../kube/log.ts'
import { createDaemonSetController } from './daemon-set/controller.ts'
import { createDeploymentController } from './deployment/controller.ts'
import { createDisruptionBudgetController } from './disruption-budget/controller.ts'
import { createEndpointSliceController } from './endpoint-slice/controller.ts'
import type { Cache } from './engine/cache.ts'
import { createCaches } from './engine/caches.ts'
import type { Random } from './engine/deps.ts'
import type { WorldController } from './engine/planned-controller.ts'
import { resolveTimings, type Timings } from './engine/timings.ts'
import { createJobController } from './job/controller.ts'
import { NODES } from './kinds.ts'
import { createKubelet, createMachineController, type KubeletDeps } from './kubelet/controllers.ts'
import { createNodeLifecycleController, createPodCollector } from './node-lifecycle/controller.ts'
import { type NodeSpec, nodeSpecs, renderNode } from './node-spec.ts'
import { createReplicaSetController } from './replica-set/controller.ts'
import { createScheduler } from './scheduler/controller.ts'
import { createStatefulSetController } from './stateful-set/controller.ts'

export type { Timings } from './engine/timings.ts'
export type { NodeSpec } from './node-spec.ts'

const CONTROLLERS = {
  deployment: createDeploymentController,
  replicaset: createReplicaSetController,
  statefulset: createStatefulSetController,
  daemonset: createDaemonSetController,
  job: createJobController,
  disruptionbudget: createDisruptionBudgetController,
  endpointslice: createEndpointSliceController,
  nodelifecycle: createNodeLifecycleController,
  podgc: createPodCollector,
  scheduler: createScheduler,
  machine: createMachineController,
  kubelet: createKubelet,
} as const satisfies Readonly<Record<string, (deps: KubeletDeps) => WorldController>>

export type WorldControllerName = keyof typeof CONTROLLERS

export const WORLD_CONTROLLERS = Object.keys(CONTROLLERS) as WorldControllerName[]

/** What a real API server with a real kube-controller-manager lacks. */
export const NODES_ONLY: readonly WorldControllerName[] = ['scheduler', 'machine', 'kubelet']

export interface SimulatedWorldOptions {
  readonly client: KubeClient
  /** How many nodes `sim-1` to `sim-N`, or which. Present Nodes of these names stay as they are. */
  readonly nodes: number | readonly NodeSpec[]
  /** Default: the system's. */
  readonly clock?: Clock
  readonly random?: Random
  readonly log?: Log
  /** Ends it, like `stop`. */
  readonly signal?: AbortSignal
  /** Default: all. */
  readonly controllers?: readonly WorldControllerName[]
  readonly timings?: Partial<Timings>
}

export interface SimulatedWorld {
  /** Makes one more node, at any time; a Node of that name stays as it is. To take one away, delete the Node. */
  addNode(spec: NodeSpec): Promise<void>
  /** Ends all controllers. Nodes and pods stay as they are, and go on with the next start. */
  stop(): Promise<void>
}

/**
 * Resolves when all controllers run and the nodes are made.
 * @throws KubeError when the API server refuses the nodes; RangeError for timings or a number of nodes that make no sense.
 */
export async function startSimulatedWorld(options: SimulatedWorldOptions): Promise<SimulatedWorld> {
  const specs = nodeSpecs(options.nodes)
  const stopping = new AbortController()
  const signal = options.signal === undefined ? stopping.signal : AbortSignal.any([options.signal, stopping.signal])
  const recorders = createRecorders(options)
  const deps = worldDeps(options, recorders.of)
  const names = options.controllers ?? WORLD_CONTROLLERS
  const controllers = names.map((name) => CONTROLLERS[name](deps))
  const caches = new Set<Cache<KubeObject>>(controllers.flatMap(({ needs }) => needs))
  await Promise.all([...caches].map(({ informer }) => informer.start(signal)))
  const running = Promise.all(controllers.map(({ controller }) => controller.run(signal)))
  const stop = async (): Promise<void> => {
    stopping.abort()
    await running
    await Promise.all([...caches].map(({ informer }) => informer.stopped()))
    await recorders.close()
  }
  try {
    for (const spec of specs) await addNode(options.client, spec)
  } catch (error) {
    await stop()
    throw error
  }
  return { addNode: (spec) => addNode(options.client, spec), stop }
}

function worldDeps(options: SimulatedWorldOptions, recorder: KubeletDeps['recorder']): KubeletDeps {
  const { client, clock = systemClock, random = Math.random, log = silentLog } = options
  const caches = createCaches({ client, clock, log })
  const timings = resolveTimings(options.timings)
  return { client, caches, clock, random, log, recorder, timings, uuid: randomUUID }
}

async function addNode(client: KubeClient, spec: NodeSpec): Promise<void> {
  try {
    await client.create(NODES, renderNode(spec))
  } catch (error) {
    if (!isKubeError(error, 'AlreadyExists')) throw error
  }
}

/** One for each component that reports. */
function createRecorders({ client, clock = systemClock, log = silentLog }: SimulatedWorldOptions) {
  const recorders = new Map<string, EventRecorder>()
  const of = (component: string): EventRecorder => {
    const known = recorders.get(component)
    if (known !== undefined) return known
    const made = createEventRecorder({ client, component, instance: component, clock, log })
    recorders.set(component, made)
    return made
  }
  const close = async (): Promise<void> => {
    await Promise.all([...recorders.values()].map((recorder) => recorder.flush(1_000)))
    for (const recorder of recorders.values()) recorder.close()
  }
  return { of, close }
}
