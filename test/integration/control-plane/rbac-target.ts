/** A server that the cases of `rbac-cases.ts` are sent to, and its answers without what differs from run to run. */
import { Agent, request } from 'node:https'
import { type Case, titleOf } from './rbac-cases.ts'
import { ACCOUNTS, WORLD } from './rbac-world.ts'

export interface Target {
  readonly url: string
  readonly ca: string
  readonly adminToken: string
  /** Of the tokens that it issues. */
  readonly issuer: string
}

interface Call {
  readonly method: string
  readonly path: string
  readonly body?: unknown
  readonly headers: Record<string, string | readonly string[]>
}

// biome-ignore lint/suspicious/noExplicitAny: tests reach into answers of any kind.
type Json = any

export class AccessProbe {
  readonly #target: Target
  readonly #agent: Agent
  readonly #tokens = new Map<string, string>()

  constructor(target: Target) {
    this.#target = target
    this.#agent = new Agent({ keepAlive: true, ca: target.ca })
  }

  close(): void {
    this.#agent.destroy()
  }

  /** Creates the world, and waits until what is watched by the authorizer has arrived there. */
  async prepare(): Promise<void> {
    for (const { path, body } of WORLD) {
      const { status, json } = await this.admin('POST', path, body)
      if (status !== 201) throw new Error(`${path}: ${JSON.stringify(json)}`)
    }
    await this.#untilAllowed('system:serviceaccount:team-a:constrained', 'impersonate-on:user-info:list', 'pods')
    await this.#untilAllowed('colin', 'list', 'secrets')
    await this.#untilAllowed('ada', 'list', 'secrets')
    await this.#untilAllowed('nina', 'get', 'namespaces')
    for (const name of ACCOUNTS) {
      const path = `/api/v1/namespaces/team-a/serviceaccounts/${name}/token`
      const { json } = await this.admin('POST', path, { spec: {} })
      this.#tokens.set(name, json.status.token)
    }
  }

  async #untilAllowed(user: string, verb: string, resource: string): Promise<void> {
    const deadline = Date.now() + 20_000
    const spec = { user, resourceAttributes: { verb, resource, namespace: 'team-a' } }
    for (;;) {
      const { json } = await this.admin('POST', '/apis/authorization.k8s.io/v1/subjectaccessreviews', { spec })
      if (json.status.allowed === true) return
      if (Date.now() > deadline) throw new Error(`${user} is not allowed to ${verb} ${resource} within 20 s`)
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }

  admin(method: string, path: string, body?: unknown): Promise<{ status: number; json: Json }> {
    return this.#send({ method, path, body, headers: { authorization: `Bearer ${this.#target.adminToken}` } })
  }

  /** The roles and bindings that the server brought along, in the form of `generated/rbac-defaults.json`. */
  async defaults(): Promise<Record<string, Json[]>> {
    const found: Record<string, Json[]> = {}
    for (const plural of ['clusterroles', 'roles', 'clusterrolebindings', 'rolebindings']) {
      const selector = 'labelSelector=kubernetes.io/bootstrapping%3Drbac-defaults'
      const { json } = await this.admin('GET', `/apis/rbac.authorization.k8s.io/v1/${plural}?${selector}`)
      found[plural] = json.items.map(plainDefault)
    }
    return found
  }

  /** Answers of all cases by their titles. */
  async answers(cases: readonly Case[]): Promise<Record<string, Json>> {
    const answers: Record<string, Json> = {}
    for (const one of cases) answers[titleOf(one)] = await this.#answer(one)
    return answers
  }

  async #answer({ method, path, body, as, groups = [], headers = {}, by }: Case): Promise<Json> {
    const token = by === undefined ? this.#target.adminToken : this.#tokens.get(by ?? '')
    const { status, json } = await this.#send({
      method,
      path,
      body,
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(as !== undefined && { 'impersonate-user': as }),
        ...(groups.length > 0 && { 'impersonate-group': groups }),
        ...headers,
      },
    })
    return normalise(status, json, this.#target.issuer)
  }

  #send({ method, path, body, headers }: Call): Promise<{ status: number; json: Json }> {
    const payload = body === undefined ? undefined : JSON.stringify(body)
    const json = payload === undefined ? {} : { 'content-type': 'application/json' }
    return new Promise((resolve, reject) => {
      const call = request(
        `${this.#target.url}${path}`,
        { method, agent: this.#agent, headers: { ...json, ...headers } as Record<string, string | string[]> },
        (response) => {
          let text = ''
          response.setEncoding('utf8')
          response.on('data', (chunk: string) => {
            text += chunk
          })
          response.on('error', reject)
          response.on('end', () => {
            const isJson = String(response.headers['content-type']).startsWith('application/json')
            resolve({ status: response.statusCode ?? 0, json: isJson && text !== '' ? JSON.parse(text) : undefined })
          })
        },
      )
      call.on('error', reject)
      call.end(payload)
    })
  }
}

function plainDefault({ metadata, rules, aggregationRule, roleRef, subjects }: Json): Json {
  const { name, namespace, labels } = metadata
  const { 'kubernetes.io/bootstrapping': _mark, ...others } = labels
  return {
    name,
    namespace,
    labels: Object.keys(others).length > 0 ? others : undefined,
    ...(aggregationRule === undefined ? { rules } : { aggregationRule }),
    roleRef,
    subjects,
  }
}

function normalise(status: number, json: Json, issuer: string): Json {
  if (json?.kind === 'Status') {
    const { message, reason, details } = json
    return plain({ status, message, reason, details }, issuer)
  }
  const isReview = /Review$|^TokenRequest$/.test(json?.kind ?? '')
  if (!isReview) return { status, kind: json?.kind ?? 'text' }
  const { managedFields: _fields, creationTimestamp: _time, ...metadata } = json.metadata
  const answer = { status, kind: json.kind, metadata, spec: json.spec, answer: sortRules(json.status) }
  return plain(answer, issuer)
}

function plain(value: Json, issuer: string): Json {
  return JSON.parse(anonymise(JSON.stringify(value), issuer))
}

/** Rules come in the order of a hash table. */
function sortRules(status: Json): Json {
  const sorted = (rules: unknown[]) => rules.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
  if (!Array.isArray(status?.resourceRules)) return status
  return { ...status, resourceRules: sorted(status.resourceRules), nonResourceRules: sorted(status.nonResourceRules) }
}

function anonymise(text: string, issuer: string): string {
  return text
    .replaceAll(issuer, 'ISSUER')
    .replace(/[\w-]{20,}\.[\w-]{20,}\.[\w-]{20,}/g, 'TOKEN')
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'UID')
    .replace(/\d{4}-\d\d-\d\dT[\d:]+Z/g, 'TIME')
    .replace(/,"uid":"admin"/g, '')
}
