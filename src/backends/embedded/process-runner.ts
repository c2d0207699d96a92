/** `isolation: process`: each member in a detached process of its own. */
import { join } from 'node:path'
import type { DetachedProcesses } from './detached-process.ts'
import type { MemberFolder } from './member-folder.ts'
import { memberFile } from './member-record.ts'
import type { LaunchedRecord, MemberRunner, OnChange } from './member-runner.ts'
import { findByArgument, isAlive, type ProcessIdentity, signalProcess } from './process-identity.ts'

export function createProcessRunner(processes: DetachedProcesses, onChange: OnChange): MemberRunner {
  return {
    start: (folder, record) => {
      const changed = () => onChange(record.name)
      return processes.spawn({
        entry: 'member-process',
        args: [folder.path, record.launch.id],
        logPath: join(folder.path, memberFile.log),
        onReady: changed,
        onExit: changed,
      })
    },
    async observe(folder, record) {
      const identity = await livingProcess(folder, record)
      if (identity === undefined) return describeEnd(folder, record)
      processes.watch(identity, () => onChange(record.name))
      const ready = await folder.readReady(record.launch.id)
      return ready === undefined ? { liveness: 'Starting' } : { liveness: 'Ready', ready }
    },
    async stop(folder, record, force) {
      const identity = await livingProcess(folder, record)
      if (identity === undefined) return []
      processes.watch(identity, () => onChange(record.name))
      const sent = await signalProcess(identity, force ? 'SIGKILL' : 'SIGTERM')
      return sent ? [`process ${identity.pid}`] : []
    },
    close: () => Promise.resolve(),
  }
}

/** Also finds a process whose PID was never written down, because its launcher was killed just then. */
async function livingProcess(folder: MemberFolder, record: LaunchedRecord): Promise<ProcessIdentity | undefined> {
  const { launch } = record
  const known = launch.process ?? (await folder.readReady(launch.id))?.process ?? (await findByArgument(launch.id))
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
