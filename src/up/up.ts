/**
 * `kobe up`: host control plane, operator, HTTP and a first pool on one machine, until Ctrl-C.
 * The host runs in a process of its own; after a crash of this one it is found again, and so are the members.
 */
import { rmSync } from 'node:fs'
import { createEmbeddedBackend } from '../backends/embedded/embedded-backend.ts'
import { type HostHandle, HostStartError, startHost } from '../backends/embedded/host-process.ts'
import type { CommandContext } from '../cli/define-command.ts'
import { writePrivate } from '../cli/lease-files.ts'
import { EXIT, UserError } from '../cli/user-error.ts'
import type { LogLevel } from '../config.ts'
import { systemClock } from '../kube/clock.ts'
import { createKubeClient } from '../kube/kube-client.ts'
import { type RunningOperator, startOperator } from '../operator.ts'
import { KOBE_VERSION } from '../version.ts'
import { listenError } from './listen-error.ts'
import { createOperatorLog, type OperatorLog } from './operator-log.ts'
import { acquireRunLock } from './run-lock.ts'
import { printScreen } from './screen.ts'
import { ensureFirstPool, ensureLocalAdmin, ensureNamespace } from './seed.ts'
import { ensureServingCertificate } from './serving-certificate.ts'
import { readSettings, type UpSettings, writeSettings } from './settings.ts'
import { openStateDir, type StateDir } from './state-dir.ts'
import { type PoolSummary, waitWarm } from './wait-warm.ts'

export interface UpOptions {
  readonly stateDir: string
  readonly memory: boolean
  readonly listen: string
  readonly httpsPort?: number
  readonly httpPort?: number
  readonly hostPort?: number
  readonly publicUrl?: string
  readonly firstPool: boolean
  readonly namespace: string
  readonly logLevel: LogLevel
  readonly syncImage?: string
}

const DEFAULT_HTTPS_PORT = 7443
const DEFAULT_HTTP_PORT = 7080
/** Kubernetes version of the first pool's members and of the host. */
export const EMBEDDED_VERSION = 'v1.36.3'

export async function runUp(options: UpOptions, context: CommandContext): Promise<void> {
  const startedAt = systemClock.monotonic()
  const dir = openStateDir(options.stateDir)
  const lock = await acquireRunLock(dir.lockFile)
  try {
    await runLocked({ options, context, dir, startedAt })
  } finally {
    lock.release()
  }
}

interface Up {
  readonly options: UpOptions
  readonly context: CommandContext
  readonly dir: StateDir
  readonly startedAt: number
}

async function runLocked(up: Up): Promise<void> {
  const { options, context, dir } = up
  const settings = readSettings(dir.settingsFile)
  const storage = storageOf(options, settings, dir)
  const operatorLog = createOperatorLog(options.logLevel, dir.operatorLog)
  context.output.progress('starting the host API')
  const host = await startHostFor(up, settings, storage)
  try {
    await runOnHost(up, { host, settings, storage, operatorLog })
  } finally {
    context.output.progress('stopping')
    await host.stop()
    if (options.memory) rmSync(dir.path, { recursive: true, force: true })
    operatorLog.flush()
    context.output.progressDone()
  }
  context.output.note('Everything is stopped.')
}

type Storage = 'sqlite' | 'memory'

/** A state folder keeps its kind: turning a kept one into a forgetful one would lose clusters without a word. */
function storageOf(options: UpOptions, settings: UpSettings, dir: StateDir): Storage {
  const wanted = options.memory ? 'memory' : 'sqlite'
  if (settings.storage === undefined || settings.storage === wanted) return wanted
  throw new UserError(
    `${dir.path} holds a state that is kept ${settings.storage === 'memory' ? 'in memory' : 'on disk'}`,
    {
      fix: options.memory
        ? 'start without --memory, or use --state-dir for another folder'
        : 'stop the other one with `kobe down --purge`, or start with --memory',
      exitCode: EXIT.usage,
    },
  )
}

async function startHostFor({ options, dir }: Up, settings: UpSettings, storage: Storage): Promise<HostHandle> {
  const port = options.hostPort ?? settings.hostPort
  try {
    return await startHost({
      stateDir: dir.host,
      storage,
      version: EMBEDDED_VERSION,
      ...(port === undefined ? {} : { port }),
    })
  } catch (error) {
    if (!(error instanceof HostStartError)) throw error
    const fix =
      error.code === 'StorageCorrupt'
        ? `put a copy of the file back, or give up what is in it with \`kobe down --purge --state-dir ${dir.path}\``
        : undefined
    throw new UserError(error.message, {
      exitCode: EXIT.unavailable,
      cause: error,
      ...(fix === undefined ? {} : { fix }),
    })
  }
}

interface OnHost {
  readonly host: HostHandle
  readonly settings: UpSettings
  readonly storage: Storage
  readonly operatorLog: OperatorLog
}

async function runOnHost(up: Up, on: OnHost): Promise<void> {
  const { options, dir } = up
  writePrivate(dir.hostKubeconfig, on.host.kubeconfig)
  const client = createKubeClient({ kubeconfig: on.host.kubeconfig, userAgent: `kobe/${KOBE_VERSION}` })
  const backend = createEmbeddedBackend({
    stateDir: dir.path,
    clock: systemClock,
    log: on.operatorLog.log,
  })
  try {
    await ensureNamespace(client, options.namespace)
    const operator = await startOperatorFor(up, on, { client, backend })
    try {
      await seedAndServe(up, on, { client, operator })
    } finally {
      await operator.stop()
    }
  } finally {
    await backend.stopAll()
    await backend.close()
    client.close()
  }
}

interface Parts {
  readonly client: ReturnType<typeof createKubeClient>
  readonly backend: ReturnType<typeof createEmbeddedBackend>
}

async function startOperatorFor(up: Up, on: OnHost, { client, backend }: Parts): Promise<RunningOperator> {
  const { options, dir } = up
  const tls = await ensureServingCertificate(dir.tls, certificateHosts(options.listen), systemClock.now())
  const ports = {
    httpsPort: options.httpsPort || on.settings.httpsPort || (options.httpsPort ?? DEFAULT_HTTPS_PORT),
    httpPort: options.httpPort || on.settings.httpPort || (options.httpPort ?? DEFAULT_HTTP_PORT),
  }
  try {
    return await startOperator({
      client,
      backends: [backend],
      namespace: options.namespace,
      // The run lock makes sure that no other living process has this name, so a restart leads again at once.
      identity: `kobe-up-${on.host.url}`,
      listen: { host: options.listen, ...ports },
      tls,
      installCrds: true,
      clock: systemClock,
      log: on.operatorLog.log,
      ...(options.publicUrl === undefined ? {} : { publicUrl: options.publicUrl }),
      ...(options.syncImage === undefined ? {} : { syncImage: options.syncImage }),
    })
  } catch (error) {
    throw listenError(error, ports)
  }
}

function certificateHosts(listen: string): string[] {
  const wildcard = listen === '0.0.0.0' || listen === '::'
  return [...new Set(['127.0.0.1', 'localhost', '::1', ...(wildcard ? [] : [listen])])]
}

async function seedAndServe(
  up: Up,
  on: OnHost,
  { client, operator }: { client: Parts['client']; operator: RunningOperator },
): Promise<void> {
  const { options, context, dir, startedAt } = up
  const { namespace } = options
  const token = await ensureLocalAdmin(client, namespace)
  if (options.firstPool && on.settings.seeded !== true) {
    await ensureFirstPool(client, { namespace, storage: on.storage, version: EMBEDDED_VERSION })
  }
  writePrivate(dir.clientFile, `${JSON.stringify({ endpoint: operator.httpUrl, token }, null, 2)}\n`)
  rememberChoices(dir, on, operator)
  const pools = await warmUp(operator, context, options.firstPool)
  if (!context.signal.aborted) {
    printScreen(context.output, {
      pools,
      namespace,
      cwd: context.cwd,
      startedInMs: systemClock.monotonic() - startedAt,
      hostUrl: on.host.url,
      hostKubeconfig: dir.hostKubeconfig,
      httpUrl: operator.httpUrl,
      httpsUrl: operator.httpsUrl,
      statePath: dir.path,
      logPath: dir.operatorLog,
      memory: options.memory,
      adopted: on.host.adopted,
    })
  }
  await untilInterrupted(context.signal, operator)
  rmSync(dir.clientFile, { force: true })
}

function rememberChoices(dir: StateDir, { host, storage }: OnHost, { httpsUrl, httpUrl }: RunningOperator): void {
  writeSettings(dir.settingsFile, {
    storage,
    seeded: true,
    hostPort: Number(new URL(host.url).port),
    httpsPort: Number(new URL(httpsUrl).port),
    httpPort: Number(new URL(httpUrl).port),
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
