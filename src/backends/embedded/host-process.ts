/** One control plane that a program waits for: the host of `kobe up`. It outlives that program and is found again. */
import { basename, dirname, join, resolve } from 'node:path'
import type { TokenRecord } from '../../control-plane/options.ts'
import { type Clock, systemClock } from '../../kube/clock.ts'
import { type Log, silentLog } from '../../kube/log.ts'
import { renderAdminKubeconfig } from './admin-kubeconfig.ts'
import { createHealthProbe } from './health-probe.ts'
import { createLauncher, type Launcher, type LaunchSpec, type LaunchState } from './launcher.ts'
import type { Storage } from './member-record.ts'
import { memberNodeFlags } from './node-flags.ts'

export interface StartHostOptions {
  /** Its own folder: keys, data and log. */
  readonly stateDir: string
  /** Default 0: the system picks one, and the host keeps it. */
  readonly port?: number
  readonly storage: Storage
  /** What `/version` reports, such as `v1.36.3`. */
  readonly version?: string
  /** Default `127.0.0.1`. */
  readonly host?: string
  readonly tokens?: readonly TokenRecord[]
  readonly extraSans?: readonly string[]
  readonly nodePath?: string
  /** Where Node keeps compiled code. Default: `compile-cache` beside `stateDir`, as for members. */
  readonly compileCacheDir?: string
  /** As for members: see `DetachedProcessOptions`. */
  readonly bundleFolder?: string
  /** How long to wait for the first answer. Default 20 s. */
  readonly timeoutMs?: number
  readonly clock?: Clock
  readonly log?: Log
}

export interface HostHandle {
  /** Admin kubeconfig, YAML. */
  readonly kubeconfig: string
  readonly url: string
  /** PEM. */
  readonly caCert: string
  readonly pid: number
  /** It ran already and was not restarted. */
  readonly adopted: boolean
  /** Ends it. Files stay with storage `sqlite`; nothing stays with `memory`. */
  stop(): Promise<void>
  /** Ends it and removes its folder. */
  destroy(): Promise<void>
  /** Lets go of it: it runs on, and is no longer restarted when it dies. */
  close(): Promise<void>
}

/** `code` as in `LaunchState`, or `Timeout`. The message says what to do. */
export class HostStartError extends Error {
  override readonly name = 'HostStartError'
  readonly code: string
  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

/** There is one; the folder tells it from others. */
const uid = 'host'
const defaultTimeoutMs = 20_000
const endTimeoutMs = 15_000
/** Waiting longer does not help. */
const fatalCodes: ReadonlySet<string> = new Set(['PortTaken', 'NoSpace', 'NoPermission'])

/** Starts the host, or finds the one that runs. While the handle is open, a host that dies is started again. */
export async function startHost(options: StartHostOptions): Promise<HostHandle> {
  const folder = resolve(options.stateDir)
  const clock = options.clock ?? systemClock
  const launcher = createLauncher({
    ...options,
    stateDir: dirname(folder),
    compileCacheDir: options.compileCacheDir ?? join(dirname(folder), 'compile-cache'),
    nodeFlags: memberNodeFlags,
    clock,
    log: options.log ?? silentLog,
  })
  const host = { launcher, clock, spec: hostSpec(basename(folder), options) }
  try {
    return await waitForHost(host, options.timeoutMs ?? defaultTimeoutMs)
  } catch (error) {
    const hangs = error instanceof HostStartError && error.code === 'Timeout'
    if (hangs) await launcher.stop(host.spec.name, uid)
    await launcher.close()
    throw error
  }
}

interface Host {
  readonly launcher: Launcher
  readonly clock: Clock
  readonly spec: LaunchSpec
}

function hostSpec(name: string, options: StartHostOptions): LaunchSpec {
  const { storage, version, host, port, tokens, extraSans } = options
  return {
    name,
    uid,
    storage,
    ...(version === undefined ? {} : { version }),
    ...(host === undefined ? {} : { host }),
    ...(port === undefined ? {} : { port }),
    ...(tokens === undefined ? {} : { tokens }),
    ...(extraSans === undefined ? {} : { extraSans }),
  }
}

async function waitForHost(host: Host, timeoutMs: number): Promise<HostHandle> {
  const { launcher, spec } = host
  const before = await launcher.peek(spec.name, uid)
  refuseOtherStorage(spec, before)
  const adopted = before?.state === 'Running' && (await answers(host))
  if (before !== undefined && !adopted) await clearAway(host, before)
  const first = await launcher.ensure(spec)
  const state = first.state === 'Running' ? first : await untilRunning(host, first, timeoutMs)
  return hostHandle(host, state, adopted)
}

/** A process that lives but hangs is no use. */
async function answers({ launcher, spec }: Host): Promise<boolean> {
  const credentials = await launcher.credentials(spec.name, uid)
  if (credentials === undefined) return false
  const probe = createHealthProbe()
  const { healthy } = await probe.check(credentials)
  probe.close()
  return healthy
}

/**
 * What was kept in memory only is gone with its process: the host begins anew. Any other is stopped on purpose: it starts
 * with the port and version asked for now, and earlier crashes do not count.
 */
async function clearAway(host: Host, { code }: LaunchState): Promise<void> {
  const { launcher, spec } = host
  const end = code === 'DataLost' ? launcher.destroy : launcher.stop
  await untilGone(host, () => end(spec.name, uid))
}

/** Neither is data in a file forgotten, nor data in memory taken for kept. */
function refuseOtherStorage(spec: LaunchSpec, before: LaunchState | undefined): void {
  const found = before?.code === 'DataLost' ? undefined : before?.storage
  if (found === undefined || found === spec.storage) return
  const message = `the state folder holds a host with storage ${found}, not ${spec.storage}: choose that storage, or another state folder`
  throw new HostStartError('StorageDiffers', message)
}

async function untilRunning(host: Host, first: LaunchState, timeoutMs: number): Promise<LaunchState> {
  const { launcher, clock, spec } = host
  const deadline = clock.monotonic() + timeoutMs
  let state = first
  while (state.state !== 'Running') {
    if (state.state === 'Failed' || state.state === 'Unschedulable' || fatalCodes.has(state.code ?? ''))
      throw new HostStartError(
        state.code ?? state.state,
        `the host control plane cannot start: ${state.lastCrash ?? state.message}`,
      )
    const leftMs = deadline - clock.monotonic()
    if (leftMs <= 0)
      throw new HostStartError(
        'Timeout',
        `the host control plane did not answer within ${timeoutMs / 1000} s: ${state.message}`,
      )
    await nextChange(host, leftMs)
    state = await launcher.ensure(spec)
  }
  return state
}

/** Resolves at the next event of the host, after `maxMs`, and now and then: an event may have come just before. */
async function nextChange({ launcher, clock }: Host, maxMs: number): Promise<void> {
  const changed = new AbortController()
  const unsubscribe = launcher.subscribe(() => changed.abort())
  await clock.after(Math.min(maxMs, 200), changed.signal)
  unsubscribe()
}

async function untilGone(
  host: Host,
  end: () => Promise<{ gone: boolean; remaining: readonly string[] }>,
): Promise<void> {
  const deadline = host.clock.monotonic() + endTimeoutMs
  for (;;) {
    const { gone, remaining } = await end()
    if (gone) return
    if (host.clock.monotonic() >= deadline)
      throw new HostStartError('Timeout', `still there after ${endTimeoutMs / 1000} s: ${remaining.join(', ')}`)
    await nextChange(host, deadline - host.clock.monotonic())
  }
}

async function hostHandle(host: Host, state: LaunchState, adopted: boolean): Promise<HostHandle> {
  const { launcher, spec } = host
  const credentials = await launcher.credentials(spec.name, uid)
  if (credentials === undefined || state.pid === undefined)
    throw new HostStartError('NotFound', 'the host control plane was removed while it started')
  const endWith = (end: Launcher['destroy']) => async () => {
    await untilGone(host, () => end(spec.name, uid))
    await launcher.close()
  }
  return {
    kubeconfig: renderAdminKubeconfig(spec.name, credentials),
    url: credentials.url,
    caCert: credentials.pki.caCert,
    pid: state.pid,
    adopted,
    stop: endWith(state.storage === 'memory' ? launcher.destroy : launcher.stop),
    destroy: endWith(launcher.destroy),
    close: launcher.close,
  }
}
