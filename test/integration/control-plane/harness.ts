/** A control plane of its own per test file, and a plain HTTPS client for it. */

import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { Agent, request as httpsRequest } from 'node:https'
import {
  type ControlPlane,
  type ControlPlaneOptions,
  createPki,
  type Pki,
  startControlPlane,
} from '../../../src/control-plane/index.ts'
import { scopeOfPath, WatchLaw } from '../../support/watch-law.ts'

export const ADMIN_TOKEN = 'admin-token-for-tests'

let pki: Promise<Pki> | undefined
export const testPki = (): Promise<Pki> => (pki ??= createPki({ hosts: ['127.0.0.1'] }))

export interface Reply {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests reach into answers of any kind.
  readonly json: any
}

export interface CallOptions {
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** Default: that of an administrator; null: none. */
  readonly token?: string | null
}

export interface WatchEvent {
  readonly type: string
  // biome-ignore lint/suspicious/noExplicitAny: see above.
  readonly object: any
}

export interface Watch {
  /** Resolves with the events so far once `enough` of them holds. Rejects after five seconds. */
  until(enough: (events: readonly WatchEvent[]) => boolean): Promise<WatchEvent[]>
  /** Resolves with all events when the server ends the watch. */
  ended(): Promise<WatchEvent[]>
  stop(): void
}

export class TestServer {
  readonly controlPlane: ControlPlane
  readonly pki: Pki
  readonly errors: unknown[]
  /** Judges every watch when the server is closed. */
  readonly law = new WatchLaw()
  readonly #agent: Agent

  constructor(controlPlane: ControlPlane, keys: Pki, errors: unknown[]) {
    this.controlPlane = controlPlane
    this.pki = keys
    this.errors = errors
    this.#agent = new Agent({ keepAlive: true, ca: keys.caCert })
  }

  async call(method: string, path: string, options: CallOptions = {}): Promise<Reply> {
    const response = await this.#send(method, path, options)
    const chunks: Buffer[] = []
    for await (const chunk of response) chunks.push(chunk as Buffer)
    const text = Buffer.concat(chunks).toString('utf8')
    const isJson = String(response.headers['content-type']).startsWith('application/json')
    return {
      status: response.statusCode ?? 0,
      headers: response.headers,
      text,
      json: isJson && text !== '' && response.headers['content-encoding'] === undefined ? JSON.parse(text) : undefined,
    }
  }

  get = (path: string, options?: CallOptions) => this.call('GET', path, options)
  post = (path: string, body: unknown, options?: CallOptions) => this.call('POST', path, { ...options, body })
  put = (path: string, body: unknown, options?: CallOptions) => this.call('PUT', path, { ...options, body })
  delete = (path: string, body?: unknown) => this.call('DELETE', path, body === undefined ? {} : { body })
  patch = (path: string, body: unknown, type = 'merge-patch+json') =>
    this.call('PATCH', path, { body, headers: { 'content-type': `application/${type}` } })

  async watch(path: string, options: CallOptions = {}): Promise<Watch> {
    return followWatch(await this.#send('GET', path, options), this.law.follow(scopeOfPath(path)))
  }

  /** Polls until the condition holds; for what the server does in the background. */
  async eventually<T>(read: () => Promise<T>, holds: (value: T) => boolean): Promise<T> {
    const deadline = Date.now() + 5000
    for (;;) {
      const value = await read()
      if (holds(value)) return value
      if (Date.now() > deadline)
        throw new Error(`not reached within 5 s; last seen: ${JSON.stringify(value).slice(0, 500)}`)
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
  }

  async close(): Promise<void> {
    this.#agent.destroy()
    await this.controlPlane.close()
    this.law.enforce()
  }

  #send(method: string, path: string, options: CallOptions): Promise<IncomingMessage> {
    const { token = ADMIN_TOKEN, headers = {}, body } = options
    const raw = typeof body === 'string' || Buffer.isBuffer(body)
    const payload = body === undefined ? undefined : raw ? body : JSON.stringify(body)
    return new Promise((resolve, reject) => {
      const request = httpsRequest(
        `${this.controlPlane.url}${path}`,
        {
          method,
          agent: this.#agent,
          headers: {
            ...(token === null ? {} : { authorization: `Bearer ${token}` }),
            ...(payload === undefined
              ? {}
              : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(payload) }),
            ...headers,
          },
        },
        resolve,
      )
      request.on('error', reject)
      request.end(payload)
    })
  }
}

function followWatch(response: IncomingMessage, see: (event: WatchEvent) => void): Watch {
  const events: WatchEvent[] = []
  let rest = ''
  let over = false
  let wake: () => void = () => undefined
  response.setEncoding('utf8')
  response.on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() ?? ''
    const told = lines.map((line) => JSON.parse(line) as WatchEvent)
    events.push(...told)
    told.forEach(see)
    wake()
  })
  for (const name of ['end', 'close', 'error']) {
    response.on(name, () => {
      over = true
      wake()
    })
  }
  const wait = (done: () => boolean): Promise<WatchEvent[]> =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => reject(new Error(`watch: not seen within 5 s; events: ${JSON.stringify(events)}`)),
        5000,
      )
      wake = () => {
        if (!done()) return
        clearTimeout(timer)
        resolve([...events])
      }
      wake()
    })
  return {
    until: (enough) => wait(() => enough(events)),
    ended: () => wait(() => over),
    stop: () => response.destroy(),
  }
}

export async function startTestServer(options: Partial<ControlPlaneOptions> = {}): Promise<TestServer> {
  const keys = await testPki()
  const errors: unknown[] = []
  const controlPlane = await startControlPlane({
    storage: { type: 'memory' },
    tls: { cert: keys.servingCert, key: keys.servingKey },
    clientCa: keys.caCert,
    tokens: [
      { token: ADMIN_TOKEN, user: 'admin', groups: ['system:masters'] },
      { token: 'weak', user: 'bob', groups: ['team'] },
    ],
    onError: (error) => errors.push(error),
    ...options,
  })
  return new TestServer(controlPlane, keys, errors)
}

export const CONFIGMAPS = '/api/v1/namespaces/default/configmaps'

export function configMap(name: string, data: Record<string, string> = {}, metadata: object = {}): object {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ...metadata }, data }
}
