/** The time between "everything runs" and Ctrl-C: seed, warm up, show the screen, wait. */
import { rmSync } from 'node:fs'
import type { HostHandle } from '../backends/embedded/host-process.ts'
import type { CommandContext } from '../cli/define-command.ts'
import { writePrivate } from '../client/kubeconfig-file.ts'
import type { KubeClient } from '../kube/client.ts'
import { systemClock } from '../kube/clock.ts'
import type { RunningOperator } from '../operator.ts'
import type { Storage } from './host.ts'
import { printScreen } from './screen.ts'
import { ensureFirstPool, ensureLocalAdmin } from './seed.ts'
import { type UpSettings, writeSettings } from './settings.ts'
import type { StateDir } from './state-dir.ts'
import { EMBEDDED_VERSION, type Up } from './up-options.ts'
import { type PoolSummary, waitWarm } from './wait-warm.ts'

export interface Served {
  readonly host: HostHandle
  readonly settings: UpSettings
  readonly storage: Storage
  readonly client: KubeClient
  readonly operator: RunningOperator
}

export async function seedAndServe(up: Up, served: Served): Promise<void> {
  const { options, context, dir, startedAt } = up
  const { client, operator, host } = served
  const { namespace } = options
  const token = await ensureLocalAdmin(client, namespace)
  if (options.firstPool && served.settings.seeded !== true) {
    await ensureFirstPool(client, { namespace, storage: served.storage, version: EMBEDDED_VERSION })
  }
  writePrivate(dir.clientFile, `${JSON.stringify({ endpoint: operator.httpUrl, token }, null, 2)}\n`)
  rememberChoices(dir, served)
  const pools = await warmUp(operator, context, options.firstPool)
  if (!context.signal.aborted) {
    printScreen(context.output, {
      pools,
      namespace,
      cwd: context.cwd,
      startedInMs: systemClock.monotonic() - startedAt,
      hostUrl: host.url,
      hostKubeconfig: dir.hostKubeconfig,
      httpUrl: operator.httpUrl,
      httpsUrl: operator.httpsUrl,
      statePath: dir.path,
      logPath: dir.operatorLog,
      memory: options.memory,
      adopted: host.adopted,
      simulatedNodes: options.simulateNodes,
      demo: options.demo,
    })
  }
  await untilInterrupted(context.signal, operator)
  rmSync(dir.clientFile, { force: true })
}

function rememberChoices(dir: StateDir, { host, storage, operator }: Served): void {
  writeSettings(dir.settingsFile, {
    storage,
    seeded: true,
    hostPort: Number(new URL(host.url).port),
    httpsPort: Number(new URL(operator.httpsUrl).port),
    httpPort: Number(new URL(operator.httpUrl).port),
  })
}

/** What a user waits for; a pool that cannot get warm is shown as it is instead of waiting for ever. */
const WARM_TIMEOUT_MS = 60_000

async function warmUp(
  operator: RunningOperator,
  context: CommandContext,
  firstPool: boolean,
): Promise<readonly PoolSummary[]> {
  let latest: readonly PoolSummary[] = []
  const signal = AbortSignal.any([context.signal, AbortSignal.timeout(WARM_TIMEOUT_MS)])
  await waitWarm(operator.caches.pools, signal, { atLeast: firstPool ? 1 : 0 }, (pools) => {
    latest = pools
    if (pools.length === 0) return
    context.output.progress(pools.map((pool) => `pool ${pool.name}: ${pool.ready} of ${pool.target} ready`).join(', '))
  })
  context.output.progressDone()
  return latest
}

/** Ends with Ctrl-C, or throws when the operator has failed. */
async function untilInterrupted(signal: AbortSignal, operator: RunningOperator): Promise<void> {
  if (signal.aborted) return
  const interrupted = Promise.withResolvers<void>()
  signal.addEventListener('abort', () => interrupted.resolve(), { once: true })
  await Promise.race([interrupted.promise, operator.done])
}
