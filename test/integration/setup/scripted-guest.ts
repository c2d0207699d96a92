/** A member over HTTP whose objects, kinds and faults a test writes: enough of the API for what is set up in members. */
import type { ServerResponse } from 'node:http'
import type { KubeObject } from '../../../src/api/resource.ts'
import { kubeconfigText } from '../../support/kubeconfig.ts'
import {
  type ScriptedRequest,
  type ScriptedServer,
  sendJson,
  sendStatus,
  startScriptedServer,
} from '../../support/scripted-server.ts'

export interface GuestResource {
  readonly name: string
  readonly kind: string
  readonly namespaced: boolean
}

export interface ScriptedGuest extends AsyncDisposable {
  readonly server: ScriptedServer
  readonly kubeconfig: string
  /** Discovery path (`/api/v1`, `/apis/apps/v1`) to resources. */
  readonly kinds: Map<string, GuestResource[]>
  /** Object path to object. */
  readonly objects: Map<string, KubeObject & Record<string, unknown>>
  serverSideApply: boolean
  /** Whether a definition is Established, and served, as soon as it is there. */
  establishes: boolean
  /** Answers instead of the guest; true when it did. */
  before: ((request: ScriptedRequest, response: ServerResponse) => boolean) | undefined
  /** Writes so far, `POST /api/v1/namespaces`. */
  writes(): string[]
}

const CORE: GuestResource[] = [
  { name: 'namespaces', kind: 'Namespace', namespaced: false },
  { name: 'configmaps', kind: 'ConfigMap', namespaced: true },
  { name: 'pods', kind: 'Pod', namespaced: true },
  { name: 'pods/status', kind: 'Pod', namespaced: true },
]
const EXTENSIONS: GuestResource[] = [
  { name: 'customresourcedefinitions', kind: 'CustomResourceDefinition', namespaced: false },
]
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'

export async function startScriptedGuest(): Promise<ScriptedGuest> {
  const server = await startScriptedServer((request, response) => respond(guest, request, response))
  const guest: ScriptedGuest = {
    server,
    kubeconfig: kubeconfigText(server.url),
    kinds: new Map([
      ['/api/v1', CORE],
      ['/apis/apiextensions.k8s.io/v1', EXTENSIONS],
    ]),
    objects: new Map(),
    serverSideApply: true,
    establishes: true,
    before: undefined,
    writes: () =>
      server.requests.filter(({ method }) => method !== 'GET').map(({ method, path }) => `${method} ${path}`),
    [Symbol.asyncDispose]: () => server.close(),
  }
  return guest
}

function respond(guest: ScriptedGuest, request: ScriptedRequest, response: ServerResponse): void {
  if (guest.before?.(request, response)) return
  const { method, path } = request
  if (method === 'GET') read(guest, path, response)
  else if (method === 'DELETE') remove(guest, path, response)
  else if (method === 'POST') create(guest, request, response)
  else patch(guest, request, response)
}

function read(guest: ScriptedGuest, path: string, response: ServerResponse): void {
  const resources = guest.kinds.get(path)
  const object = guest.objects.get(path)
  if (resources) sendJson(response, 200, { kind: 'APIResourceList', resources })
  else if (object) sendJson(response, 200, object)
  else if (/s$/.test(path) && path.split('/').length <= 4) {
    const items = [...guest.objects].filter(([at]) => at.startsWith(`${path}/`)).map(([, item]) => item)
    sendJson(response, 200, { kind: 'List', metadata: { resourceVersion: '1' }, items })
  } else sendStatus(response, 404, 'NotFound', { message: `${path} not found` })
}

function remove(guest: ScriptedGuest, path: string, response: ServerResponse): void {
  if (guest.objects.delete(path)) sendJson(response, 200, { kind: 'Status', status: 'Success' })
  else sendStatus(response, 404, 'NotFound')
}

function create(guest: ScriptedGuest, { path, body }: ScriptedRequest, response: ServerResponse): void {
  const object = JSON.parse(body) as KubeObject & Record<string, unknown>
  const at = `${path}/${object.metadata.name}`
  if (guest.objects.has(at)) sendStatus(response, 409, 'AlreadyExists')
  else sendJson(response, 201, store(guest, at, object))
}

function patch(guest: ScriptedGuest, { path, body, headers }: ScriptedRequest, response: ServerResponse): void {
  const object = JSON.parse(body) as KubeObject & Record<string, unknown>
  const isApply = headers['content-type'] === 'application/apply-patch+yaml'
  if (isApply && !guest.serverSideApply) sendStatus(response, 415, 'UnsupportedMediaType')
  else if (!isApply && !guest.objects.has(path)) sendStatus(response, 404, 'NotFound')
  else sendJson(response, 200, store(guest, path, { ...guest.objects.get(path), ...object }))
}

function store(guest: ScriptedGuest, path: string, object: KubeObject & Record<string, unknown>): KubeObject {
  guest.objects.set(path, object)
  if (path.startsWith(DEFINITIONS) && guest.establishes) establish(guest, path)
  return object
}

/** What the server does some time after a definition was written. */
export function establish(guest: ScriptedGuest, path: string): void {
  const definition = guest.objects.get(path)
  if (definition === undefined) throw new Error(`there is no ${path}`)
  const { group, names, scope, versions } = definition['spec'] as {
    group: string
    scope: string
    names: { plural: string; kind: string }
    versions: { name: string }[]
  }
  guest.objects.set(path, { ...definition, status: { conditions: [{ type: 'Established', status: 'True' }] } })
  for (const { name } of versions) {
    const resource = { name: names.plural, kind: names.kind, namespaced: scope === 'Namespaced' }
    guest.kinds.set(`/apis/${group}/${name}`, [resource])
  }
}
