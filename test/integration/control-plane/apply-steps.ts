/** Sequences of writes, sent alike to any API server, and what of its answers must not depend on the moment. */

// biome-ignore lint/suspicious/noExplicitAny: objects of any kind.
export type Json = Record<string, any>

export interface Step {
  readonly method: string
  readonly path: string
  readonly contentType: string
  /** What is sent; from the answer to the step before, when it is a function. */
  readonly body: unknown | ((last: Json) => unknown)
  readonly userAgent?: string
}

export interface Case {
  /** The rule, as a sentence. */
  readonly name: string
  readonly steps: readonly Step[]
}

export interface StepAnswer {
  readonly status: number
  readonly body: Json
}

/** Sends one request. */
export type Send = (step: Step & { readonly body: unknown }) => Promise<StepAnswer>

export async function runCase({ steps }: Case, send: Send): Promise<StepAnswer[]> {
  const answers: StepAnswer[] = []
  let last: Json = {}
  for (const step of steps) {
    const body = typeof step.body === 'function' ? step.body(structuredClone(last)) : step.body
    const answer = await send({ ...step, body })
    last = answer.body
    answers.push({ status: answer.status, body: normalised(structuredClone(answer.body)) })
  }
  return answers
}

const MOMENTARY = ['uid', 'resourceVersion', 'creationTimestamp'] as const

function normalised(body: Json): Json {
  const { metadata, details, spec } = body
  for (const name of MOMENTARY) if (metadata?.[name] !== undefined) metadata[name] = `<${name}>`
  if (metadata?.managedFields !== undefined) metadata.managedFields = normalisedOwners(metadata.managedFields)
  // Several owners come in no order.
  details?.causes?.sort((left: Json, right: Json) => (textOf(left) < textOf(right) ? -1 : 1))
  if (spec?.clusterIP !== undefined && spec.clusterIP !== 'None') {
    spec.clusterIP = '<ip>'
    spec.clusterIPs = ['<ip>']
  }
  return body
}

/** Their order depends on the seconds in which they came. */
function normalisedOwners(owners: Json[]): Json[] {
  return owners
    .map((owner) => ('time' in owner ? { ...owner, time: '<time>' } : owner))
    .sort((left, right) => (orderOf(left) < orderOf(right) ? -1 : 1))
}

const orderOf = (owner: Json): string =>
  [owner['operation'], owner['manager'], owner['apiVersion'], owner['subresource']].join(' ')
const textOf = (value: Json): string => JSON.stringify(value)

const NAMESPACE = 'namespaces/default'

export const CONFIG_MAPS = `/api/v1/${NAMESPACE}/configmaps`
export const SERVICES = `/api/v1/${NAMESPACE}/services`
export const PODS = `/api/v1/${NAMESPACE}/pods`
export const SECRETS = `/api/v1/${NAMESPACE}/secrets`
export const DEPLOYMENTS = `/apis/apps/v1/${NAMESPACE}/deployments`
export const GADGETS = `/apis/apply.example.com/v1/${NAMESPACE}/gadgets`
export const GADGETS_V2 = `/apis/apply.example.com/v2/${NAMESPACE}/gadgets`

const APPLY = 'application/apply-patch+yaml'

interface Extra {
  /** Further query parameters, such as `force=true`. */
  readonly query?: string
  readonly subresource?: string
  readonly name?: string
}

function withManager(path: string, manager: string, query?: string): string {
  const parameters = manager === '' ? [] : [`fieldManager=${manager}`]
  if (query !== undefined) parameters.push(query)
  return parameters.length === 0 ? path : `${path}?${parameters.join('&')}`
}

const nameOf = (body: unknown): string => (body as Json)['metadata']?.name ?? ''

export const apply = (collection: string, manager: string, body: unknown, extra: Extra = {}): Step => ({
  method: 'PATCH',
  path: withManager(
    [collection, extra.name ?? nameOf(body), ...(extra.subresource === undefined ? [] : [extra.subresource])].join('/'),
    manager,
    extra.query,
  ),
  contentType: APPLY,
  body,
})

export const force = (collection: string, manager: string, body: unknown, extra: Extra = {}): Step =>
  apply(collection, manager, body, { ...extra, query: 'force=true' })

export const create = (collection: string, manager: string, body: unknown): Step => ({
  method: 'POST',
  path: withManager(collection, manager),
  contentType: 'application/json',
  body,
})

const patchAs =
  (type: 'merge' | 'json' | 'strategic-merge') =>
  (path: string, manager: string, body: unknown): Step => ({
    method: 'PATCH',
    path: withManager(path, manager),
    contentType: `application/${type}-patch+json`,
    body,
  })

export const merge = patchAs('merge')
export const jsonPatch = patchAs('json')
export const strategic = patchAs('strategic-merge')

/** PUT of what the last answer was, changed. */
export const put = (path: string, manager: string, change: (object: Json) => void): Step => ({
  method: 'PUT',
  path: withManager(path, manager),
  contentType: 'application/json',
  body: (last: Json) => {
    change(last)
    return last
  },
})

export const GADGET_CRD: Json = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'gadgets.apply.example.com' },
  spec: {
    group: 'apply.example.com',
    scope: 'Namespaced',
    names: { plural: 'gadgets', singular: 'gadget', kind: 'Gadget', listKind: 'GadgetList' },
    versions: [versionOf('v1', true), versionOf('v2', false)],
  },
}

function versionOf(name: string, storage: boolean): Json {
  const text = { type: 'string' }
  const port = {
    type: 'object',
    required: ['port'],
    properties: { port: { type: 'integer' }, protocol: { type: 'string', default: 'TCP' }, label: text },
  }
  const spec = {
    type: 'object',
    properties: {
      size: { type: 'integer' },
      colour: { type: 'string', default: 'red' },
      either: { 'x-kubernetes-int-or-string': true },
      list: { type: 'array', items: text },
      tags: { type: 'array', items: text, 'x-kubernetes-list-type': 'set' },
      ports: {
        type: 'array',
        items: port,
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['port', 'protocol'],
      },
      whole: { type: 'object', additionalProperties: text, 'x-kubernetes-map-type': 'atomic' },
      labels: { type: 'object', additionalProperties: text },
      nested: { type: 'object', properties: { inner: { type: 'object', properties: { a: text, b: text } } } },
      free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
      template: {
        type: 'object',
        'x-kubernetes-embedded-resource': true,
        'x-kubernetes-preserve-unknown-fields': true,
      },
    },
  }
  const status = {
    type: 'object',
    properties: {
      phase: text,
      conditions: {
        type: 'array',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['type'],
        items: { type: 'object', required: ['type'], properties: { type: text, status: text } },
      },
    },
  }
  return {
    name,
    served: true,
    storage,
    subresources: { status: {}, scale: { specReplicasPath: '.spec.size', statusReplicasPath: '.status.size' } },
    schema: { openAPIV3Schema: { type: 'object', properties: { spec, status } } },
  }
}
