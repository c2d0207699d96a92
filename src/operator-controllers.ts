/** The controllers of the operator: what they share, and the flat list of them. */
import type { Registry } from 'prom-client'
import { OPERATOR_NAME } from './api/v1alpha1/labels.ts'
import type { Backend, BackendRenderer } from './backends/backend.ts'
import type { ControllerCaches, ControllerDeps } from './controllers/deps.ts'
import type { Controller } from './controllers/engine/controller.ts'
import { createInstanceController } from './controllers/instance/controller.ts'
import { createLeaseController } from './controllers/lease/controller.ts'
import { createOperatorMetrics } from './controllers/metrics.ts'
import { createPoolController } from './controllers/pool/controller.ts'
import { createSpecInputs } from './controllers/pool/spec-inputs.ts'
import type { KubeClient } from './kube/client.ts'
import type { Clock } from './kube/clock.ts'
import { createEventRecorder } from './kube/event-recorder.ts'
import type { Log } from './kube/log.ts'
import { createOwnObjects } from './operator-caches.ts'
import { KOBE_VERSION } from './version.ts'

export interface ControllerDepsOptions {
  readonly client: KubeClient
  /** Who reports in Events. */
  readonly identity: string
  readonly backends: readonly Backend[]
  /** For backends that this operator cannot run. Default: none. */
  readonly renderers?: readonly BackendRenderer[]
  readonly caches: ControllerCaches
  readonly registry: Registry
  readonly random: ControllerDeps['random']
  /** `KOBE_SYNC_IMAGE`. */
  readonly syncImage?: string
  readonly diagnostics?: ControllerDeps['diagnostics']
  readonly clock: Clock
  readonly log: Log
}

export function createControllerDeps(options: ControllerDepsOptions): ControllerDeps {
  const { client, caches, clock, log, random, registry, identity, syncImage } = options
  return {
    client,
    caches,
    clock,
    log,
    random,
    own: createOwnObjects(caches),
    probes: new Map(),
    backends: new Map(options.backends.map((backend) => [backend.type, backend])),
    // A backend that can be run wins over a mere renderer of its type.
    renderers: new Map(
      [...(options.renderers ?? []), ...options.backends].map((renderer) => [renderer.type, renderer]),
    ),
    specInputs: createSpecInputs(),
    recorder: createEventRecorder({ client, component: OPERATOR_NAME, instance: identity, clock, log }),
    metrics: createOperatorMetrics(registry),
    ...(options.diagnostics === undefined ? {} : { diagnostics: options.diagnostics }),
    operator: { version: KOBE_VERSION, ...(syncImage === undefined ? {} : { syncImage }) },
  }
}

/** The whole operator in one list. */
const CONTROLLERS: readonly ((deps: ControllerDeps) => Controller)[] = [
  createPoolController,
  createInstanceController,
  createLeaseController,
]

/** Runs all of them until the signal aborts; resolves when the passes under way have ended. */
export async function runControllers(deps: ControllerDeps, signal: AbortSignal): Promise<void> {
  await Promise.all(CONTROLLERS.map((create) => create(deps).run(signal)))
}
