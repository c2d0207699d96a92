/** Sends a scenario to a server and notes what came back, normalised. */
import { parse } from 'yaml'
import { judgeStream, type SeenEvent, scopeOfPath } from '../support/watch-law.ts'
import { Placeholders } from './placeholders.ts'
import type { CloseWatch, OpenWatch, RequestStep, Scenario, Step } from './scenario.ts'
import { type Answer, type Endpoint, type OpenedWatch, Transport } from './transport.ts'

/** One request and all that answered it: what is recorded and compared. */
export interface Transcript {
  /** Number of its step in the scenario, from 1, and the request. */
  readonly request: string
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body?: unknown
  /** Of a watch. */
  readonly events?: readonly unknown[]
}

const WAIT_MS = 10_000
const WATCH_DEADLINE_MS = 5000

/** Those that clients act on. */
const HEADERS = ['content-type', 'warning', 'retry-after', 'location', 'allow'] as const

export async function runScenario(endpoint: Endpoint, scenario: Scenario): Promise<Transcript[]> {
  const run = new Run(endpoint, scenario)
  try {
    return await run.toEnd()
  } finally {
    run.stop()
  }
}

class Run {
  readonly #scenario: Scenario
  readonly #transport: Transport
  readonly #placeholders: Placeholders
  readonly #variables = new Map<string, string>()
  readonly #watches = new Map<string, { step: OpenWatch; number: number; opened: OpenedWatch }>()
  readonly #transcripts: Transcript[] = []

  constructor(endpoint: Endpoint, scenario: Scenario) {
    this.#scenario = scenario
    this.#transport = new Transport(endpoint)
    this.#placeholders = new Placeholders({
      showsManagedFields: scenario.showsManagedFields ?? false,
      url: endpoint.url,
    })
    this.#variables.set('ns', `c-${scenario.name}`)
  }

  async toEnd(): Promise<Transcript[]> {
    if (this.#scenario.needsNamespace !== false) await this.#makeNamespace()
    for (const [index, step] of this.#scenario.steps.entries()) await this.#step(step, index + 1)
    return this.#transcripts
  }

  stop(): void {
    for (const { opened } of this.#watches.values()) opened.stop()
    this.#transport.close()
  }

  async #makeNamespace(): Promise<void> {
    const metadata = { name: `c-${this.#scenario.name}` }
    const body = JSON.stringify({ apiVersion: 'v1', kind: 'Namespace', metadata })
    const { status, text } = await this.#transport.send({ method: 'POST', path: '/api/v1/namespaces', body })
    if (status !== 201) throw new Error(`${this.#scenario.name}: its namespace was answered ${status}: ${text}`)
  }

  async #step(step: Step, number: number): Promise<void> {
    switch (step.kind) {
      case 'request':
        return this.#request(step, number)
      case 'open':
        return this.#open(step, number)
      case 'close':
        return this.#close(step)
    }
  }

  async #request(step: RequestStep, number: number): Promise<void> {
    const answer = await this.#sendUntil(step)
    const body = parsed(answer)
    for (const [name, path] of Object.entries(step.save ?? {})) this.#variables.set(name, String(at(body, path)))
    const picked = step.pick === undefined || answer.status !== 200 ? body : step.pick(body)
    this.#transcripts.push({
      request: `${number} ${step.method} ${step.path}`,
      status: answer.status,
      headers: this.#headers(answer),
      ...(picked === undefined ? {} : { body: this.#normalised(picked) }),
    })
  }

  async #sendUntil(step: RequestStep): Promise<Answer> {
    const deadline = Date.now() + WAIT_MS
    for (;;) {
      const answer = await this.#transport.send({
        method: step.method,
        path: this.#fill(step.path),
        headers: this.#fillAll(step.headers),
        ...(step.body === undefined ? {} : { body: this.#fill(bodyText(step.body)) }),
      })
      if (isReached(step, answer) || Date.now() > deadline) return answer
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }

  async #open(step: OpenWatch, number: number): Promise<void> {
    const opened = await this.#transport.watch({
      method: 'GET',
      path: this.#fill(step.path),
      headers: this.#fillAll(step.headers),
    })
    this.#watches.set(step.id, { step, number, opened })
  }

  async #close({ id, events }: CloseWatch): Promise<void> {
    const held = this.#watches.get(id)
    if (held === undefined) throw new Error(`${this.#scenario.name}: no watch ${id} is open`)
    const { step, number, opened } = held
    await opened.wait(events === 'end' || opened.status !== 200 ? Number.POSITIVE_INFINITY : events, WATCH_DEADLINE_MS)
    opened.stop()
    this.#watches.delete(id)
    const text = opened.lines.join('\n')
    const answer = { status: opened.status, headers: opened.headers, text }
    if (opened.status === 200) this.#judge(step.path, opened.lines)
    this.#transcripts.push({
      request: `${number} WATCH ${step.path}`,
      status: opened.status,
      headers: this.#headers(answer),
      ...(opened.status === 200
        ? { events: opened.lines.map((line) => this.#normalised(parseJson(line))) }
        : { body: this.#normalised(parsed(answer)) }),
    })
  }

  /** @throws Error when the watch broke what every watch must obey, on whichever server */
  #judge(path: string, lines: readonly string[]): void {
    const events = lines.map((line) => JSON.parse(line) as SeenEvent)
    const broken = judgeStream(events, scopeOfPath(this.#fill(path)))
    if (broken.length > 0) throw new Error(`${this.#scenario.name}: a watch broke the law:\n${broken.join('\n')}`)
  }

  #normalised(value: unknown): unknown {
    return typeof value === 'string' ? this.#placeholders.text(value) : this.#placeholders.normalise(value)
  }

  #headers({ headers }: Answer): Record<string, string> {
    const kept = HEADERS.flatMap((name) => {
      const value = headers[name]
      return value === undefined ? [] : [[name, this.#placeholders.text(String(value))]]
    })
    return Object.fromEntries(kept)
  }

  #fillAll(headers: Readonly<Record<string, string>> = {}): Record<string, string> {
    return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, this.#fill(value)]))
  }

  #fill(text: string): string {
    return text.replaceAll(/\{(\w+)\}/g, (whole, name: string) => this.#variables.get(name) ?? whole)
  }
}

function isReached(step: RequestStep, answer: Answer): boolean {
  if (step.until !== undefined) return answer.status === step.until
  if (step.untilValue === undefined) return true
  const [path, value] = step.untilValue
  return JSON.stringify(at(parsed(answer), path)) === JSON.stringify(value)
}

function bodyText(body: unknown): string {
  return typeof body === 'string' ? body : JSON.stringify(body)
}

function parsed({ headers, text }: Answer): unknown {
  const type = String(headers['content-type'])
  if (text === '') return undefined
  // The index of OpenAPI documents is JSON that the real server calls plain text.
  if (type.startsWith('application/json') || (type.startsWith('text/plain') && text.startsWith('{'))) {
    return parseJson(text)
  }
  if (type.startsWith('application/yaml')) return parse(text)
  return type.includes('protobuf') ? '<protobuf>' : text
}

/** Text that is not JSON, such as the lines of a stream, stands for itself. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function at(value: unknown, path: string): unknown {
  let current = value
  for (const name of path.split('.')) {
    if (typeof current !== 'object' || current === null) return undefined
    current = (current as Record<string, unknown>)[name]
  }
  return current
}
