/** The launcher's side of `shared-protocol.ts`. */
import { Agent, request } from 'node:http'
import { text } from 'node:stream/consumers'
import type { MemberRequest } from './shared-protocol.ts'

export interface SharedControlClient {
  /** Answers the HTTP status. Rejects when there is no answer. */
  post(socket: string, path: '/start' | '/stop', body: MemberRequest): Promise<number>
  close(): void
}

/** Starting a member takes milliseconds; a process that is silent for so long hangs. */
const defaultTimeoutMs = 10_000

export function createSharedControlClient(timeoutMs = defaultTimeoutMs): SharedControlClient {
  const agent = new Agent({ keepAlive: true, maxSockets: 8 })
  return {
    post: (socketPath, path, body) =>
      new Promise((resolve, reject) => {
        const options = { socketPath, path, method: 'POST', agent, signal: AbortSignal.timeout(timeoutMs) }
        const sent = request(options, (response) => {
          text(response).then(() => resolve(response.statusCode ?? 0), reject)
        })
        sent.on('error', reject)
        sent.end(JSON.stringify(body))
      }),
    close: () => agent.destroy(),
  }
}
