/**
 * `kobe up`: host control plane, operator, HTTP and a first pool on one machine, until Ctrl-C.
 * The host runs in a process of its own; after a crash of this one it is found again, and so are the members.
 */
import { rmSync } from 'node:fs'
import { createEmbeddedBackend } from '../backends/embedded/embedded-backend.ts'
import type { HostHandle } from '../backends/embedded/host-process.ts'
import { destroyOrphans } from '../backends/embedded/orphans.ts'
import type { CommandContext } from '../cli/define-command.ts'
import { writePrivate } from '../client/kubeconfig-file.ts'
import { processEnv } from '../config.ts'
import { systemClock } from '../kube/clock.ts'
import { createKubeClient } from '../kube/kube-client.ts'
import { type RunningOperator, startOperator } from '../operator.ts'
import { KOBE_VERSION } from '../version.ts'
import { compileCacheDir } from './compile-cache.ts'
import { type Storage, startHostFor, storageOf } from './host.ts'
import { listenError } from './listen-error.ts'
import { createOperatorLog, type OperatorLog } from './operator-log.ts'
import { acquireRunLock } from './run-lock.ts'
import { ensureNamespace } from './seed.ts'
import { type Served, seedAndServe } from './serve.ts'
import { ensureServingCertificate } from './serving-certificate.ts'
import { readServing } from './serving-config.ts'
import { readSettings, type UpSettings } from './settings.ts'
import { startSimulation } from './simulate.ts'
import { openStateDir } from './state-dir.ts'
import { DEFAULT_HTTP_PORT, DEFAULT_HTTPS_PORT, type Up, type UpOptions } from './up-options.ts'

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
    compileCacheDir: compileCacheDir(dir.path),
    clock: systemClock,
    log: on.operatorLog.log,
  })
  try {
    await ensureNamespace(client, options.namespace)
    const operator = await startOperatorFor(up, on, { client, backend })
    try {
      await simulateAndServe(up, { ...on, client, operator })
    } finally {
      await operator.stop()
    }
  } finally {
    await backend.stopAll()
    await backend.close()
    client.close()
  }
}

async function simulateAndServe(up: Up, served: Served & OnHost): Promise<void> {
  const simulation = await startSimulation(up.options, served.client, served.operatorLog.log)
  try {
    await seedAndServe(up, served)
  } finally {
    await simulation?.stop()
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
      ...readServing(processEnv(), dir.path),
      onLeading: async () => {
        await destroyOrphans({ backend, client, log: on.operatorLog.log })
      },
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
