/** The members inside a shared process. Requests about one folder run one after another. */
import { createKeyedQueue } from './keyed-queue.ts'
import { type MemberServer, startMemberServer } from './member-server.ts'
import type { ProcessIdentity } from './process-identity.ts'
import type { HostedMembers, MemberRequest } from './shared-protocol.ts'

export interface HostedMemberSet {
  start(request: MemberRequest): Promise<void>
  stop(request: MemberRequest): Promise<void>
  list(): HostedMembers
  /** No member, and none on its way. */
  isEmpty(): boolean
  /** Stops those whose folder is gone or asks for another launch. */
  dropSuperseded(): Promise<void>
  close(): Promise<void>
}

interface Hosted {
  readonly launch: string
  readonly server: MemberServer
}

export function createHostedMembers(
  process: ProcessIdentity,
  onError: (error: unknown, context: string) => void,
): HostedMemberSet {
  const queue = createKeyedQueue()
  const members = new Map<string, Hosted>()
  const end = async (folder: string) => {
    const hosted = members.get(folder)
    members.delete(folder)
    await hosted?.server.close()
  }
  return {
    start: ({ folder, launch }) =>
      queue.run(folder, async () => {
        if (members.get(folder)?.launch === launch) return
        await end(folder)
        members.set(folder, { launch, server: await startMemberServer({ folder, launchId: launch, process, onError }) })
      }),
    stop: ({ folder, launch }) =>
      queue.run(folder, async () => {
        if (members.get(folder)?.launch === launch) await end(folder)
      }),
    list: () => ({
      members: [...members].map(([folder, { launch, server }]) => ({ folder, launch, port: server.port })),
    }),
    isEmpty: () => members.size === 0 && !queue.isBusy(),
    async dropSuperseded() {
      const dropped = [...members].filter(([, { server }]) => !server.isCurrent())
      await Promise.all(dropped.map(([folder]) => queue.run(folder, () => end(folder))))
    },
    async close() {
      await queue.idle()
      await Promise.all([...members.keys()].map(end))
    },
  }
}
