/** `kobe operator`: the operator on an existing host cluster, until SIGTERM. */
import { hostname } from 'node:os'
import { createEmbeddedBackend } from '../backends/embedded/embedded-backend.ts'
import { destroyOrphans } from '../backends/embedded/orphans.ts'
import { EXIT, UserError } from '../cli/user-error.ts'
import { type LogLevel, processEnv } from '../config.ts'
import { systemClock } from '../kube/clock.ts'
import { KubeconfigError } from '../kube/connection.ts'
import { type ClosableKubeClient, createKubeClient } from '../kube/kube-client.ts'
import { startOperator } from '../operator.ts'
import { KOBE_VERSION } from '../version.ts'
import { compileCacheDir } from './compile-cache.ts'
import { listenError } from './listen-error.ts'
import { createOperatorLog } from './operator-log.ts'
import { ensureServingCertificate } from './serving-certificate.ts'
import { readServing } from './serving-config.ts'
import { openStateDir } from './state-dir.ts'

export interface OperatorCommandOptions {
  readonly kubeconfig?: string
  readonly inCluster: boolean
  readonly namespace: string
  readonly stateDir: string
  readonly listen: string
  readonly httpsPort: number
  readonly httpPort: number
  readonly publicUrl?: string
  readonly installCrds: boolean
  readonly logLevel: LogLevel
  readonly syncImage?: string
  /** `KOBE_NODE_NAME`. */
  readonly nodeName?: string
}

export async function runOperatorCommand(options: OperatorCommandOptions, signal: AbortSignal): Promise<void> {
  const { log, flush } = createOperatorLog(options.logLevel)
  const dir = openStateDir(options.stateDir)
  const client = connect(options)
  const backend = createEmbeddedBackend({
    stateDir: dir.path,
    compileCacheDir: compileCacheDir(dir.path),
    clock: systemClock,
    log,
  })
  try {
    const tls = await ensureServingCertificate(dir.tls, ['127.0.0.1', 'localhost', '::1'], systemClock.now())
    const operator = await startOperator({
      client,
      tls,
      log,
      clock: systemClock,
      backends: [backend],
      namespace: options.namespace,
      identity: `${hostname()}-${process.pid}-${systemClock.now()}`,
      listen: { host: options.listen, httpsPort: options.httpsPort, httpPort: options.httpPort },
      installCrds: options.installCrds,
      ...readServing(processEnv(), dir.path),
      onLeading: async () => {
        await destroyOrphans({ backend, client, log })
      },
      ...(options.publicUrl === undefined ? {} : { publicUrl: options.publicUrl }),
      ...(options.syncImage === undefined ? {} : { syncImage: options.syncImage }),
      ...(options.nodeName === undefined ? {} : { ownNode: options.nodeName }),
    })
    log.info({ http: operator.httpUrl, https: operator.httpsUrl }, 'serving')
    const interrupted = Promise.withResolvers<void>()
    if (signal.aborted) interrupted.resolve()
    signal.addEventListener('abort', () => interrupted.resolve(), { once: true })
    try {
      await Promise.race([interrupted.promise, operator.done])
    } finally {
      await operator.stop()
    }
  } catch (error) {
    throw listenError(error, options)
  } finally {
    await backend.close()
    client.close()
    flush()
  }
}

function connect({ kubeconfig, inCluster }: OperatorCommandOptions): ClosableKubeClient {
  try {
    const source = kubeconfig === undefined ? { inCluster } : { kubeconfigPath: kubeconfig }
    return createKubeClient({ ...source, userAgent: `kobe/${KOBE_VERSION}` })
  } catch (error) {
    if (!(error instanceof KubeconfigError)) throw error
    throw new UserError(error.message, {
      fix: 'name a kubeconfig with --kubeconfig or KUBECONFIG, or run in a pod with a service account',
      exitCode: EXIT.usage,
      cause: error,
    })
  }
}
