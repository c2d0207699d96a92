/** A simulated world on an API server, a kubectl for it, and its ends. Fast: delays of tens of milliseconds. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ClosableKubeClient } from '../../../src/kube/kube-client.ts'
import type { Log } from '../../../src/kube/log.ts'
import type { Pod } from '../../../src/simulated-world/kinds.ts'
import {
  type SimulatedWorld,
  type SimulatedWorldOptions,
  startSimulatedWorld,
  type Timings,
} from '../../../src/simulated-world/world.ts'
import { HOST_KINDS, type HostKind, type HostUnderTest } from '../../support/host-under-test.ts'
import { eventually, hasKubectl, KUBECTL, kubectl, type Result, run } from '../../support/run.ts'

/** Both API servers, without any controllers of their own; none without kubectl. */
export const HOSTS: readonly HostKind[] = hasKubectl
  ? HOST_KINDS
  : HOST_KINDS.map((kind) => ({ ...kind, isMissing: true }))

export const FAST: Partial<Timings> = {
  startDelayMs: 30,
  readyDelayMs: 20,
  stopDelayMs: 30,
  runForMs: 50,
  restartBackoffMs: 100,
  bootDelayMs: 100,
  nodeReadyDelayMs: 50,
  leaseRenewMs: 300,
  nodeGraceMs: 2_000,
  orphanGraceMs: 200,
}

export interface Sim extends AsyncDisposable {
  readonly client: ClosableKubeClient
  readonly world: SimulatedWorld
  /** Errors that the world's controllers have reported. */
  readonly errors: string[]
  kubectl(...args: string[]): Promise<string>
  /** Any exit code. */
  tryKubectl(...args: string[]): Promise<Result>
  apply(...manifests: object[]): Promise<string>
  /** The objects of `kubectl get -o json`. */
  // biome-ignore lint/suspicious/noExplicitAny: tests reach into objects of any kind.
  get(...args: string[]): Promise<any>
  pods(selector: string): Promise<Pod[]>
  until<T>(what: string, check: () => Promise<T | undefined | false>, deadlineMs?: number): Promise<T>
}

export async function startSim(
  host: Pick<HostUnderTest, 'kubeconfig' | 'client'>,
  options: Pick<SimulatedWorldOptions, 'nodes' | 'controllers'> & { timings?: Partial<Timings> },
): Promise<Sim> {
  const dir = await mkdtemp(join(tmpdir(), 'kobe-sim-'))
  const kubeconfig = join(dir, 'kubeconfig')
  await writeFile(kubeconfig, host.kubeconfig, { mode: 0o600 })
  const client = host.client()
  const errors: string[] = []
  const world = await startSimulatedWorld({
    client,
    ...options,
    log: errorLog(errors),
    timings: { ...FAST, ...options.timings },
  })
  const call = (...args: string[]) => kubectl(kubeconfig, args)
  const get = async (...args: string[]) => JSON.parse(await call('get', ...args, '-o', 'json'))
  return {
    client,
    world,
    errors,
    kubectl: call,
    tryKubectl: (...args) => run(KUBECTL, ['--kubeconfig', kubeconfig, ...args]),
    apply: (...manifests) =>
      kubectl(kubeconfig, ['apply', '-f', '-'], { input: manifests.map((one) => JSON.stringify(one)).join('\n---\n') }),
    get,
    pods: async (selector) => (await get('pods', '-l', selector)).items,
    until: (what, check, deadlineMs = 20_000) => eventually(what, deadlineMs, check),
    async [Symbol.asyncDispose]() {
      await world.stop()
      await rm(dir, { recursive: true, force: true })
    },
  }
}

function errorLog(lines: string[]): Log {
  const log: Log = {
    debug: () => undefined,
    info: () => undefined,
    warn: () => undefined,
    error: (fields, message) => {
      const { err, ...others } = fields as { err?: unknown }
      lines.push(`${message} ${JSON.stringify(others)} ${err instanceof Error ? err.message : String(err)}`)
    },
    child: () => log,
  }
  return log
}

export function isPodReady({ status }: Pod): boolean {
  return status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') ?? false
}
