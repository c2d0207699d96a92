/** Answers the launcher inside a shared process; see `shared-protocol.ts`. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import type { HostedMemberSet } from './hosted-members.ts'
import { parseMemberRequest } from './shared-protocol.ts'

export interface ControlServerOptions {
  readonly members: HostedMemberSet
  readonly isEnding: () => boolean
  /** Called after an answered `/stop`. */
  readonly onStopped: () => void
  readonly onError: (error: unknown, context: string) => void
}

interface Answer {
  readonly status: number
  readonly body: object
}

export function createControlServer(options: ControlServerOptions): Server {
  return createServer((request, response) => {
    if (options.isEnding()) return send(response, { status: 503, body: { message: 'this process ends' } })
    const refuse = (error: unknown): Answer => {
      options.onError(error, `${request.method} ${request.url}`)
      return { status: 422, body: { message: error instanceof Error ? error.message : String(error) } }
    }
    answer(request, options.members)
      .catch(refuse)
      .then((result) => {
        if (request.url === '/stop') response.once('finish', options.onStopped)
        send(response, result)
      })
      .catch((error: unknown) => options.onError(error, 'answering'))
  })
}

async function answer(request: IncomingMessage, members: HostedMemberSet): Promise<Answer> {
  switch (`${request.method} ${request.url}`) {
    case 'GET /members':
      return { status: 200, body: members.list() }
    case 'POST /start':
      await members.start(parseMemberRequest(await text(request)))
      return { status: 200, body: {} }
    case 'POST /stop':
      await members.stop(parseMemberRequest(await text(request)))
      return { status: 200, body: {} }
    default:
      return { status: 404, body: { message: 'no such request' } }
  }
}

function send(response: ServerResponse, { status, body }: Answer): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
