/**
 * Real code that talks to the API server of a world, cut at its writes. It runs from its beginning each time: answers that it
 * has had are given again, so what stood still goes on without anything of the running program being kept.
 *   stop  stands still before a write, or is dead after it: the call is never answered
 *   lose  the write is applied and its answer is lost
 */
import type { KubeObject, ResourceType } from '../../../src/api/resource.ts'
import type { KubeClient } from '../../../src/kube/client.ts'
import { KubeError } from '../../../src/kube/errors.ts'
import * as api from './api-server.ts'
import type { World } from './world.ts'

export interface Request {
  readonly verb: 'get' | 'list' | 'create' | 'replace' | 'patch' | 'delete'
  readonly plural: string
  readonly name: string
  readonly body?: unknown
}

export type Answer = { readonly value: unknown } | { readonly error: unknown }

export interface Fault {
  /** `before`: stands still before the write; `after`: dies after it; `lose`: its answer is lost. */
  readonly kind: 'before' | 'after' | 'lose'
  /** Number of the write, from 0. */
  readonly write: number
}

export interface Session {
  readonly client: KubeClient
  /** Of now. */
  world(): World
  /** Every answer so far, those that were given again included. */
  readonly answers: Answer[]
  /** Writes of this run, in order. */
  readonly writes: Request[]
  /** Objects that were answered, as the caller now knows them. */
  readonly known: { readonly plural: string; readonly object: KubeObject; readonly gone: boolean }[]
  /** Resolves when it stands still or is dead, with the request before which it does. */
  readonly stopped: Promise<Request>
}

export function openSession(start: World, before: readonly Answer[] = [], fault?: Fault): Session {
  let world = start
  const { promise: stopped, resolve: stop } = Promise.withResolvers<Request>()
  const session: Session = {
    client: undefined as never,
    world: () => world,
    answers: [],
    writes: [],
    known: [],
    stopped,
  }

  const answer = (given: Answer): Promise<unknown> => {
    session.answers.push(given)
    return 'error' in given ? Promise.reject(given.error) : Promise.resolve(given.value)
  }
  const never = (request: Request): Promise<never> => {
    stop(request)
    return new Promise(() => undefined)
  }
  const apply = (request: Request, act: () => unknown): Answer => {
    try {
      const value = act()
      note(session, request, value)
      return { value }
    } catch (error) {
      return { error }
    }
  }
  const call = (request: Request, act: () => unknown): Promise<unknown> => {
    const again = before[session.answers.length]
    if (again !== undefined) return answer(again)
    if (request.verb === 'get' || request.verb === 'list') return answer(apply(request, act))
    const hit = fault?.write === session.writes.length ? fault.kind : undefined
    if (hit === 'before') return never(request)
    session.writes.push(request)
    if (hit === undefined) return answer(apply(request, act))
    const silent = openNotes(session)
    apply(request, act)
    silent()
    return hit === 'after' ? never(request) : answer({ error: new KubeError('Unreachable', 'the answer was lost') })
  }
  const write = (act: (world: World) => api.Written) => (): KubeObject => {
    const written = act(world)
    world = written.world
    return written.object
  }
  return Object.assign(session, { client: clientOver(call, write, () => world) })
}

/** What is answered to nobody is known to nobody. */
function openNotes({ known }: Session): () => void {
  const length = known.length
  return () => {
    known.length = length
  }
}

function note({ known }: Session, { verb, plural }: Request, value: unknown): void {
  if (verb !== 'list') known.push({ plural, object: value as KubeObject, gone: verb === 'delete' })
}

type Call = (request: Request, act: () => unknown) => Promise<unknown>
type Write = (act: (world: World) => api.Written) => () => KubeObject

function clientOver(call: Call, write: Write, world: () => World): KubeClient {
  const request = (verb: Request['verb'], { plural }: ResourceType, name: string, body?: unknown): Request => ({
    verb,
    plural,
    name,
    ...(body === undefined ? {} : { body }),
  })
  const client = {
    get: (type: ResourceType, { name }: { name: string }) =>
      call(request('get', type, name), () => api.read(world(), type, name)),
    list: (type: ResourceType, options = {}) =>
      call(request('list', type, ''), () => ({
        items: api.list(world(), type, options),
        resourceVersion: String(world().serial),
      })),
    create: (type: ResourceType, object: KubeObject) =>
      call(
        request('create', type, object.metadata.name ?? '', object),
        write((now) => api.create(now, type, object)),
      ),
    replace: (type: ResourceType, object: KubeObject) =>
      call(
        request('replace', type, object.metadata.name ?? '', object),
        write((now) => api.replace(now, type, object)),
      ),
    patch: (type: ResourceType, { name }: { name: string }, patch: { type: 'merge'; body: unknown }, options = {}) =>
      call(
        request('patch', type, name, patch.body),
        write((now) => api.patch(now, { type, name }, patch, options)),
      ),
    delete: (type: ResourceType, { name }: { name: string }, options = {}) =>
      call(
        request('delete', type, name),
        write((now) => api.remove(now, type, name, options)),
      ),
  }
  return client as unknown as KubeClient
}
