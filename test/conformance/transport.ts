/** Plain HTTPS requests and watches, the same way to whichever API server. */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { Agent, request as httpsRequest } from 'node:https'

export interface Endpoint {
  readonly url: string
  readonly token: string
  readonly ca: string
}

export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

export interface OpenedWatch {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  /** What came until now, one line each. */
  readonly lines: readonly string[]
  /** Resolves when that many lines came, when the server has ended, or after the deadline. */
  wait(lines: number, deadlineMs: number): Promise<void>
  stop(): void
}

export interface Outgoing {
  readonly method: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

export class Transport {
  readonly #endpoint: Endpoint
  readonly #agent: Agent

  constructor(endpoint: Endpoint) {
    this.#endpoint = endpoint
    this.#agent = new Agent({ keepAlive: true, ca: endpoint.ca })
  }

  async send(outgoing: Outgoing): Promise<Answer> {
    const response = await this.#request(outgoing)
    return { status: response.statusCode ?? 0, headers: response.headers, text: await textOf(response) }
  }

  async watch(outgoing: Outgoing): Promise<OpenedWatch> {
    return follow(await this.#request(outgoing))
  }

  close(): void {
    this.#agent.destroy()
  }

  #request({ method, path, headers = {}, body }: Outgoing): Promise<IncomingMessage> {
    const type = body === undefined ? {} : { 'content-type': 'application/json' }
    return new Promise((resolve, reject) => {
      const request = httpsRequest(
        `${this.#endpoint.url}${path}`,
        {
          method,
          agent: this.#agent,
          headers: {
            authorization: `Bearer ${this.#endpoint.token}`,
            'user-agent': 'conformance',
            ...type,
            ...(body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }),
            ...headers,
          },
        },
        resolve,
      )
      request.on('error', reject)
      request.end(body)
    })
  }
}

async function textOf(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}

function follow(response: IncomingMessage): OpenedWatch {
  const lines: string[] = []
  let rest = ''
  let over = false
  let wake: () => void = () => undefined
  response.setEncoding('utf8')
  response.on('data', (chunk: string) => {
    const parts = (rest + chunk).split('\n')
    rest = parts.pop() ?? ''
    lines.push(...parts.filter((part) => part !== ''))
    wake()
  })
  const end = (): void => {
    if (!over && rest !== '') lines.push(rest)
    over = true
    wake()
  }
  for (const name of ['end', 'close', 'error']) response.on(name, end)
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    lines,
    wait: (count, deadlineMs) =>
      new Promise((resolve) => {
        const timer = setTimeout(resolve, deadlineMs)
        wake = () => {
          if (!over && lines.length < count) return
          clearTimeout(timer)
          resolve()
        }
        wake()
      }),
    stop: () => response.destroy(),
  }
}
