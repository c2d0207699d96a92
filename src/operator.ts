/**
 * Puts the operator together: clients, caches, the flat list of controllers, HTTP. Every replica serves HTTP; one of them leads
 * and runs the controllers.
 */
import { randomBytes, randomUUID } from 'node:crypto'
import { Registry } from 'prom-client'
import { customResourceDefinitions } from './api/v1alpha1/crds.ts'
import { KUBECONFIG_KEY, kubeconfigSecretName, OPERATOR_NAME } from './api/v1alpha1/labels.ts'
import type { Backend } from './backends/backend.ts'
import { RENDERERS } from './backends/renderers.ts'
import type { NodeDeps } from './controllers/cluster/deps.ts'
import { createClusterInsight } from './controllers/cluster/insight.ts'
import type { ControllerCaches, ControllerDeps } from './controllers/deps.ts'
import { engineMetrics } from './controllers/engine-metrics.ts'
import { lookAtLease } from './controllers/lease/look.ts'
import { observePool } from './controllers/pool/observe.ts'
import { field } from './core/optional-field.ts'
import { createApp } from './http/app.ts'
import type { HttpLimits } from './http/deps.ts'
import { type RunningHttp, startHttp } from './http/server.ts'
import type { KubeClient } from './kube/client.ts'
import type { Clock } from './kube/clock.ts'
import { installCustomResources } from './kube/install-custom-resources.ts'
import { runLeaderElection } from './kube/leader-election.ts'
import type { Log } from './kube/log.ts'
import { createCaches, startCaches, unsyncedCaches } from './operator-caches.ts'
import { createControllerDeps, runControllers } from './operator-controllers.ts'
import { type DiagnosticsDirectory, openDiagnostics } from './operator-diagnostics.ts'
import { createNodeCaches, createNodeDeps, runNodeControllers, startNodeCaches } from './operator-nodes.ts'
import { KOBE_VERSION } from './version.ts'

export interface OperatorOptions {
  readonly client: KubeClient
  readonly namespace: string
  /** Who this replica is in the leader election. Two living processes never share one. */
  readonly identity: string
  readonly backends: readonly Backend[]
  readonly listen: { readonly host: string; readonly httpsPort: number; readonly httpPort: number }
  readonly tls: { readonly ca: string; readonly cert: string; readonly key: string }
  /** Base URL in kubeconfigs. Default: the HTTPS listener. */
  readonly publicUrl?: string
  readonly installCrds: boolean
  /** `KOBE_SYNC_IMAGE`. */
  readonly syncImage?: string
  /** Name of the Node that this process runs on: runs over nodes take it last. */
  readonly ownNode?: string
  /** Of the HTTP API. */
  readonly limits?: Partial<HttpLimits>
  /** Where diagnostics of leases are kept. Absent: none are made. Replicas that share it serve each other's. */
  readonly diagnosticsDir?: string
  /** Called each time this replica begins to lead, before its controllers start. */
  readonly onLeading?: () => Promise<void>
  readonly clock: Clock
  readonly log: Log
}

export interface RunningOperator {
  readonly httpsUrl: string
  readonly httpUrl: string
  readonly caches: ControllerCaches
  /** Rejects when something that must not end has ended; resolves after `stop`. */
  readonly done: Promise<void>
  /** Hands leadership on, ends HTTP and controllers. Members go on; backends and client are the caller's to close. */
  stop(): Promise<void>
}

/** A plan that is only looked at is not held back by writes that are on their way. */
const SEES_ALL = { satisfied: () => true }

const random = { uuid: () => randomUUID(), hex: (bytes: number) => randomBytes(bytes).toString('hex') }

export async function startOperator(options: OperatorOptions): Promise<RunningOperator> {
  const { client, clock, log } = options
  const stopping = new AbortController()
  if (options.installCrds) await installCustomResources(client, customResourceDefinitions(), clock)
  const registry = new Registry()
  const caches = createCaches(options)
  const nodeCaches = createNodeCaches(options)
  const { diagnosticsDir } = options
  const diagnostics = diagnosticsDir === undefined ? undefined : openDiagnostics({ dir: diagnosticsDir, clock, log })
  const deps = createControllerDeps({
    ...options,
    ...field('diagnostics', diagnostics),
    renderers: RENDERERS,
    caches,
    registry,
    random,
  })
  const nodes = createNodeDeps({
    client,
    caches: nodeCaches,
    recorder: deps.recorder,
    metrics: (controller) => engineMetrics(deps.metrics, controller),
    registry,
    identity: options.identity,
    ...field('ownNode', options.ownNode),
    clock,
    log,
  })
  const http = await serve(options, { pools: deps, nodes }, { registry, diagnostics })
  forgetDeletedPools(deps)
  await Promise.all([startCaches(caches, stopping.signal), startNodeCaches(nodeCaches, stopping.signal)])
  const leading = lead(options, { pools: deps, nodes }, stopping.signal)
  return {
    httpsUrl: http.httpsUrl,
    httpUrl: http.httpUrl ?? '',
    caches,
    done: leading,
    async stop() {
      stopping.abort()
      log.info({}, 'stopping')
      diagnostics?.close()
      await Promise.allSettled([http.close(), leading])
      // A replica that never led has opened some for its HTTP API.
      await nodes.sessions.close()
      await deps.recorder.flush()
      deps.recorder.close()
    },
  }
}

/** Also in a replica that does not lead: its HTTP API counts by pool as well. */
function forgetDeletedPools({ caches, metrics, log }: ControllerDeps): void {
  caches.pools.on(({ type, object }) => {
    if (type !== 'DELETED') return
    const { name = '' } = object.metadata
    metrics
      .forgetPool(name)
      .catch((error: unknown) => log.error({ pool: name, err: error }, 'series of a deleted pool stay'))
  })
}

/** A candidate for as long as it runs: one that lost the lead (a pause, a slow API) queues up for it again. */
async function lead(
  options: OperatorOptions,
  { pools: deps, nodes }: { readonly pools: ControllerDeps; readonly nodes: NodeDeps },
  signal: AbortSignal,
): Promise<void> {
  const { client, namespace, identity, clock, log } = options
  while (!signal.aborted) {
    log.info({ identity }, 'waiting to lead')
    await runLeaderElection(
      {
        client,
        namespace,
        identity,
        clock,
        log,
        name: OPERATOR_NAME,
        onStarted: async (leading) => {
          log.info({ identity }, 'started leading')
          deps.metrics.leading.set(1)
          await options.onLeading?.()
          await Promise.all([runControllers(deps, leading), runNodeControllers(nodes, leading)])
          deps.metrics.clearPoolGauges()
        },
        onStopped: (reason) => {
          deps.metrics.leading.set(0)
          log.info({ identity, reason }, 'stopped leading')
        },
      },
      signal,
    )
  }
}

async function serve(
  options: OperatorOptions,
  { pools: deps, nodes }: { readonly pools: ControllerDeps; readonly nodes: NodeDeps },
  { registry, diagnostics }: { registry: Registry; diagnostics: DiagnosticsDirectory | undefined },
): Promise<RunningHttp> {
  const { client, clock, log, namespace, listen, tls } = options
  const { caches, backends } = deps
  let publicUrl = options.publicUrl?.replace(/\/+$/, '')
  const app = createApp({
    client,
    clock,
    log,
    namespace,
    registry,
    random,
    caches: { ...caches, ...nodes.caches },
    insight: createClusterInsight(nodes),
    version: KOBE_VERSION,
    caPem: tls.ca,
    publicUrl: () => publicUrl ?? '',
    guestKubeconfig: async (instance) => {
      const data = caches.secrets.get(namespace, kubeconfigSecretName(instance))?.data?.[KUBECONFIG_KEY]
      return data === undefined ? undefined : Buffer.from(data, 'base64').toString('utf8')
    },
    supportsVerifiedDestroy: ({ spec }) =>
      backends.get(spec.backend.type)?.capabilities(spec.backend).supportsVerifiedDestroy ?? false,
    notReady: () => unsyncedCaches({ ...caches, ...nodes.caches }),
    ...field('diagnostics', diagnostics),
    ...field('limits', options.limits),
    observePool: (name) => observePool(deps, SEES_ALL, { namespace, name }),
    observeLease: (name) => lookAtLease(deps, { namespace, name }),
  })
  const running = await startHttp(app, {
    https: { host: listen.host, port: listen.httpsPort, cert: tls.cert, key: tls.key },
    // Plain HTTP carries bearer tokens in the clear: loopback only, whatever `listen` says.
    http: { host: '127.0.0.1', port: listen.httpPort },
  })
  publicUrl ??= running.httpsUrl
  return running
}
