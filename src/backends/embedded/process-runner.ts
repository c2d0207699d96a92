/** `isolation: process`: each member in a detached process of its own. */
import { join } from 'node:path'
import type { DetachedProcesses } from './detached-process.ts'
import type { MemberFolder } from './member-folder.ts'
import { memberFile } from './member-record.ts'
import type { LaunchedRecord, MemberRunner, OnChange } from './member-runner.ts'
import { findByArgument, isAlive, type ProcessIdentity, signalProcess } from './process-identity.ts'

export function createProcessRunner(processes: DetachedProcesses, onChange: OnChange): MemberRunner {
  const starting: StartingProcesses = new Map()
  return {
    async start(folder, record) {
      const { name, launch } = record
      const identity = await processes.spawn({
        program: 'member-process',
        args: [folder.path, launch.id],
        logPath: join(folder.path, memberFile.log),
        onReady: () => onChange(name),
        onExit() {
          starting.delete(launch.id)
          onChange(name)
        },
      })
      starting.set(launch.id, identity)
      return identity
    },
    async observe(folder, record) {
      const identity = await livingProcess(starting, folder, record)
      if (identity === undefined) return describeEnd(folder, record)
      processes.watch(identity, () => onChange(record.name))
      const ready = await folder.readReady(record.launch.id)
      return ready === undefined ? { liveness: 'Starting' } : { liveness: 'Ready', ready }
    },
    async stop(folder, record, force) {
      const identity = await livingProcess(starting, folder, record)
      if (identity === undefined) return []
      processes.watch(identity, () => onChange(record.name))
      const sent = await signalProcess(identity, force ? 'SIGKILL' : 'SIGTERM')
      return sent ? [`process ${identity.pid}`] : []
    },
    close: () => Promise.resolve(),
  }
}

/** By launch id: what we started ourselves, until it ends. */
type StartingProcesses = Map<string, ProcessIdentity>

/** Also finds a process whose PID was never written down, because its launcher was killed before it answered. */
async function livingProcess(
  starting: StartingProcesses,
  folder: MemberFolder,
  { launch }: LaunchedRecord,
): Promise<ProcessIdentity | undefined> {
  const written = launch.process ?? starting.get(launch.id)
  const known = written ?? (await folder.readReady(launch.id))?.process ?? (await findByArgument(launch.id))
  return known !== undefined && (await isAlive(known)) ? known : undefined
}

export async function describeEnd(folder: MemberFolder, record: LaunchedRecord) {
  const failure = await folder.readFailure(record.launch.id)
  const lastLogLine = await folder.lastLogLine()
  return {
    liveness: 'Absent' as const,
    ...(failure === undefined ? {} : { failure }),
    ...(lastLogLine === undefined ? {} : { lastLogLine }),
  }
}
