/** Asks a server about every case: any server, over HTTPS. */
import type { Schema } from '../../../../src/control-plane/schema/schema.ts'
import { DEFINITION_CASES } from './definition-cases.ts'
import { EXPRESSIONS } from './expressions.ts'
import { RULE_CASES } from './rule-cases.ts'

export interface Reply {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: answers of any kind.
  readonly json: any
}

export type Call = (method: string, path: string, body?: unknown) => Promise<Reply>

/** What is compared of an answer. */
export interface Outcome {
  readonly status: number
  readonly causes: readonly string[]
}

export type Outcomes = Readonly<Record<string, Outcome>>

const GROUP = 'cel.example.com'
const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'

export async function askAll(call: Call): Promise<Outcomes> {
  return { ...(await askDefinitions(call)), ...(await askExpressions(call)), ...(await askRules(call)) }
}

function definition(plural: string, spec: Schema): Record<string, unknown> {
  const kind = `K${plural}`
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${GROUP}` },
    spec: {
      group: GROUP,
      scope: 'Cluster',
      names: { plural, kind },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', properties: { spec } } },
        },
      ],
    },
  }
}

export async function askDefinitions(call: Call): Promise<Outcomes> {
  const outcomes: Record<string, Outcome> = {}
  for (const [index, { name, schema }] of DEFINITION_CASES.entries()) {
    outcomes[`definition: ${name}`] = outcomeOf(
      await call('POST', `${CRDS}?dryRun=All`, definition(`d${index}s`, schema)),
    )
  }
  return outcomes
}

/** One field per topic, one rule per expression: those that do not hold are named in the causes. */
export async function askExpressions(call: Call): Promise<Outcomes> {
  const outcomes: Record<string, Outcome> = {}
  for (const [topic, all] of Object.entries(EXPRESSIONS)) {
    const compiling: string[] = []
    for (const text of all) {
      const reply = await call('POST', `${CRDS}?dryRun=All`, definition(`${topic}s`, withRules([text])))
      if (reply.status === 201) compiling.push(text)
      else outcomes[`expression: ${text}`] = outcomeOf(reply)
    }
    await serve(call, `${topic}s`, withRules(compiling))
    const reply = await call('POST', `${resources(`${topic}s`)}?dryRun=All`, resource(`${topic}s`, 'x', {}))
    const causes = outcomeOf(reply).causes
    for (const text of compiling) {
      const found = causes.filter((cause) => cause.endsWith(`rule: ${text}`))
      outcomes[`expression: ${text}`] = { status: reply.status, causes: found }
    }
  }
  return outcomes
}

function withRules(texts: readonly string[]): Schema {
  return { type: 'object', 'x-kubernetes-validations': texts.map((rule) => ({ rule })) }
}

const PER_DEFINITION = 16

export async function askRules(call: Call): Promise<Outcomes> {
  const outcomes: Record<string, Outcome> = {}
  for (let start = 0; start < RULE_CASES.length; start += PER_DEFINITION) {
    const plural = `r${start}s`
    const cases = RULE_CASES.slice(start, start + PER_DEFINITION)
    const fields = Object.fromEntries(cases.map(({ schema }, index) => [`f${index}`, schema]))
    await serve(call, plural, stripRules({ type: 'object', properties: fields }) as Schema)
    for (const [index, { old }] of cases.entries()) {
      if (old !== undefined)
        await must(call, 'POST', resources(plural), resource(plural, `c${index}`, { [`f${index}`]: old }))
    }
    await serve(call, plural, { type: 'object', properties: fields })
    for (const [index, { name, value, old }] of cases.entries()) {
      const body = resource(plural, `c${index}`, { [`f${index}`]: value })
      const reply =
        old === undefined
          ? await call('POST', `${resources(plural)}?dryRun=All`, body)
          : await replace(call, `${resources(plural)}/c${index}`, body)
      outcomes[`rule: ${name}`] = outcomeOf(reply, `f${index}`)
    }
  }
  return outcomes
}

async function replace(call: Call, path: string, body: Record<string, unknown>): Promise<Reply> {
  const current = await must(call, 'GET', path)
  const metadata = { ...(body['metadata'] as object), resourceVersion: current.json.metadata.resourceVersion }
  return await call('PUT', `${path}?dryRun=All`, { ...body, metadata })
}

const resources = (plural: string): string => `/apis/${GROUP}/v1/${plural}`

function resource(plural: string, name: string, spec: unknown): Record<string, unknown> {
  return { apiVersion: `${GROUP}/v1`, kind: `K${plural}`, metadata: { name }, spec }
}

/** A canary tells when the schema is in force: real servers take a moment. */
async function serve(call: Call, plural: string, spec: Schema): Promise<void> {
  const mark = `m${Math.random().toString(36).slice(2)}`
  const canary: Schema = { type: 'string', enum: [mark] }
  const body = definition(plural, { ...spec, properties: { ...spec.properties, canary } })
  const known = await call('GET', `${CRDS}/${plural}.${GROUP}`)
  if (known.status === 404) await must(call, 'POST', CRDS, body)
  else {
    const { resourceVersion } = known.json.metadata
    await must(call, 'PUT', `${CRDS}/${plural}.${GROUP}`, {
      ...body,
      metadata: { name: `${plural}.${GROUP}`, resourceVersion },
    })
  }
  const deadline = Date.now() + 30_000
  for (;;) {
    const reply = await call('POST', `${resources(plural)}?dryRun=All`, resource(plural, 'canary', { canary: 'no' }))
    if (reply.status === 422 && JSON.stringify(reply.json).includes(mark)) return
    if (Date.now() > deadline) throw new Error(`${plural} is not served: ${JSON.stringify(reply)}`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

async function must(call: Call, method: string, path: string, body?: unknown): Promise<Reply> {
  const reply = await call(method, path, body)
  if (reply.status >= 300) throw new Error(`${method} ${path}: ${reply.status} ${JSON.stringify(reply.json)}`)
  return reply
}

function stripRules(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(stripRules)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, item]) =>
      key === 'x-kubernetes-validations' ? [] : [[key, stripRules(item)]],
    ),
  )
}

/** Causes without order (the real server walks maps at random), and without names that differ from run to run. */
function outcomeOf({ status, json }: Reply, field = ''): Outcome {
  const causes: Array<{ reason?: string; field?: string; message?: string }> = json?.details?.causes ?? []
  const texts = causes.map((cause) => `${cause.field} | ${cause.reason} | ${cause.message}`)
  return { status, causes: texts.map((text) => normalise(text, field)).sort() }
}

function normalise(text: string, field: string): string {
  const stable = text.replace(/\b(?:selfType\d+[\w.@]*|object\d+)\b/g, 'TYPE')
  return field === '' ? stable : stable.replaceAll(`spec.${field}`, 'FIELD')
}
