/**
 * `isolation: shared`: one detached process hosts many members, each with its own store, CA and port. It is started for the
 * first member and ends after the last one. It is found again by PID and start time, and when it dies its members are
 * started in a new one like any member whose process died.
 */

import type { Clock } from '../../kube/clock.ts'
import type { Log } from '../../kube/log.ts'
import type { DetachedProcesses } from './detached-process.ts'
import type { MemberFolder } from './member-folder.ts'
import type { LaunchedRecord, MemberRunner, OnChange } from './member-runner.ts'
import { isAlive, type ProcessIdentity, signalProcess } from './process-identity.ts'
import { describeEnd } from './process-runner.ts'
import { createSharedControlClient } from './shared-control-client.ts'
import { createHostProcess, type HostProcess } from './shared-host-process.ts'

export interface SharedRunnerOptions {
  readonly sharedDir: string
  readonly processes: DetachedProcesses
  readonly onChange: OnChange
  readonly clock: Clock
  readonly log: Log
  /** Default 10000. */
  readonly sharedRequestTimeoutMs?: number
}

/** A host that left so many requests without an answer hangs, and its members with it. */
const maxUnanswered = 2

export function createSharedRunner(options: SharedRunnerOptions): MemberRunner {
  const client = createSharedControlClient(options.sharedRequestTimeoutMs)
  /** Names of members that the host has, or is asked to have. */
  const hosted = new Set<string>()
  const onHostExit = () => {
    const names = [...hosted]
    hosted.clear()
    for (const name of names) options.onChange(name)
  }
  const host = createHostProcess({ ...options, onExit: onHostExit })
  const requests = createRequests({ ...options, client, host })
  return {
    async start(folder, record) {
      const identity = await host.ensure()
      hosted.add(record.name)
      requests.send('/start', folder, record)
      return identity
    },
    async observe(folder, record) {
      const identity = await livingHost(host, folder, record)
      if (identity === undefined) return describeEnd(folder, record)
      hosted.add(record.name)
      host.watch(identity)
      const ready = await folder.readReady(record.launch.id)
      if (ready !== undefined) return { liveness: 'Ready', ready }
      const failure = await folder.readFailure(record.launch.id)
      if (failure !== undefined) return { liveness: 'Absent', failure }
      // The launcher that wrote the launch down may have died before it asked.
      requests.send('/start', folder, record)
      return { liveness: 'Starting' }
    },
    async stop(folder, record, force) {
      const identity = await livingHost(host, folder, record)
      if (identity === undefined || requests.wasStopped(record)) {
        hosted.delete(record.name)
        return []
      }
      hosted.add(record.name)
      host.watch(identity)
      if (force && requests.unanswered() >= maxUnanswered) await signalProcess(identity, 'SIGKILL')
      requests.send('/stop', folder, record)
      return [`member in process ${identity.pid}`]
    },
    async close() {
      await requests.close()
      client.close()
    },
  }
}

async function livingHost(
  host: HostProcess,
  folder: MemberFolder,
  record: LaunchedRecord,
): Promise<ProcessIdentity | undefined> {
  const { launch } = record
  const known = launch.process ?? (await folder.readReady(launch.id))?.process ?? (await host.present())
  return known !== undefined && (await isAlive(known)) ? known : undefined
}

interface Requests {
  /** Asks in the background, once at a time for each launch, and tells that something changed. */
  send(path: '/start' | '/stop', folder: MemberFolder, record: LaunchedRecord): void
  /** The host answered that nothing of this launch is left. */
  wasStopped(record: LaunchedRecord): boolean
  /** How many requests in a row had no answer. */
  unanswered(): number
  close(): Promise<void>
}

interface RequestsOptions extends SharedRunnerOptions {
  readonly client: ReturnType<typeof createSharedControlClient>
  readonly host: HostProcess
}

function createRequests({ client, host, onChange, log }: RequestsOptions): Requests {
  const pending = new Map<string, Promise<void>>()
  const stopped = new Set<string>()
  let unanswered = 0
  const ask = async (path: '/start' | '/stop', folder: MemberFolder, { name, launch }: LaunchedRecord) => {
    try {
      const status = await client.post(await host.socket(), path, { folder: folder.path, launch: launch.id })
      unanswered = 0
      if (path === '/stop' && status === 200) stopped.add(launch.id)
    } catch (error) {
      unanswered += 1
      log.debug({ err: error, member: name, path }, 'no answer from the process of the shared members')
    }
  }
  return {
    send(path, folder, record) {
      const key = `${path} ${record.launch.id}`
      if (pending.has(key)) return
      // IMPORTANT: never side by side. A stop that overtakes its start would be answered while the member comes up.
      const before = pending.get(`/start ${record.launch.id}`) ?? Promise.resolve()
      const done = before
        .then(() => ask(path, folder, record))
        .finally(() => {
          pending.delete(key)
          onChange(record.name)
        })
      pending.set(key, done)
    },
    wasStopped: ({ launch }) => stopped.delete(launch.id),
    unanswered: () => unanswered,
    async close() {
      await Promise.allSettled(pending.values())
    },
  }
}
