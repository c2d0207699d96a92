/**
 * A client that counts its requests and can fail as a process or a network does:
 *   dies before write n  -> the write never happens, and neither does anything after it
 *   dies after write n   -> the write happens, its answer and everything after it do not
 *   loses answer n       -> the write happens, the caller is told `Unreachable`, and all goes on
 * It can also hold back the events of watches.
 * Events are not counted: they are written in the background and nothing depends on them.
 */
import type { KubeObject, ResourceType } from '../../src/api/resource.ts'
import type { KubeClient } from '../../src/kube/client.ts'
import { KubeError } from '../../src/kube/errors.ts'

export type Fault = { readonly kind: 'before' | 'after' | 'lost'; readonly write: number }

export interface Write {
  readonly verb: 'create' | 'replace' | 'patch' | 'delete'
  readonly kind: string
  readonly name: string
  readonly subresource?: string
  /** Code of the error it was answered with. */
  failed?: string
}

export interface FaultyClient extends KubeClient {
  readonly writes: readonly Write[]
  readonly reads: readonly string[]
  /** Requests without an answer; watches do not count. */
  inFlight(): number
  /** Every request fails from now on. */
  die(): void
  /** Holds back what the watches of that kind would tell, so that caches grow stale; the answer lets it through. */
  holdWatch(kind: string): () => void
  /** Called before each write is sent; a test may hold it back. */
  beforeWrite: (write: Write) => Promise<void> | void
}

export interface FaultyOptions {
  readonly fault?: Fault
  /** The process of the client has just died. */
  readonly onDeath?: () => void
}

const unreachable = (why: string): KubeError => new KubeError('Unreachable', why)

export function createFaultyClient(inner: KubeClient, { fault, onDeath }: FaultyOptions = {}): FaultyClient {
  const writes: Write[] = []
  const reads: string[] = []
  const gates = new Map<string, PromiseWithResolvers<void>>()
  let dead = false
  let open = 0

  const die = (): void => {
    if (dead) return
    dead = true
    onDeath?.()
  }
  const alive = (): void => {
    if (dead) throw unreachable('the process is dead')
  }
  async function tracked<R>(request: () => Promise<R>): Promise<R> {
    alive()
    open += 1
    try {
      const answer = await request()
      alive()
      return answer
    } finally {
      open -= 1
    }
  }
  async function read<R>(what: string, request: () => Promise<R>): Promise<R> {
    reads.push(what)
    return await tracked(request)
  }
  async function write<R>(entry: Write, request: () => Promise<R>): Promise<R> {
    if (entry.kind === 'Event') return await tracked(request)
    alive()
    writes.push(entry)
    const number = writes.length
    await client.beforeWrite(entry)
    const hit = fault?.write === number ? fault.kind : undefined
    if (hit === 'before') die()
    try {
      const answer = await tracked(request)
      if (hit === 'after') die()
      if (hit === 'lost') throw unreachable('the answer was lost')
      alive()
      return answer
    } catch (error) {
      if (error instanceof KubeError) entry.failed = error.code
      throw error
    }
  }
  const client: FaultyClient = {
    writes,
    reads,
    inFlight: () => open,
    die,
    beforeWrite: () => undefined,
    get: (type, ref) => read(`get ${type.kind}/${ref.name}`, () => inner.get(type, ref)),
    list: (type, options) => read(`list ${type.kind}`, () => inner.list(type, options)),
    watch: (type, options) => gated(inner.watch(type, options), () => gates.get(type.kind)?.promise),
    holdWatch(kind) {
      const gate = Promise.withResolvers<void>()
      gates.set(kind, gate)
      return () => {
        gates.delete(kind)
        gate.resolve()
      }
    },
    create: (type, object, options) =>
      write(entryOf('create', type, object.metadata.name, options), () => inner.create(type, object, options)),
    replace: (type, object, options) =>
      write(entryOf('replace', type, object.metadata.name, options), () => inner.replace(type, object, options)),
    patch: (type, ref, patch, options) =>
      write(entryOf('patch', type, ref.name, options), () => inner.patch(type, ref, patch, options)),
    delete: (type, ref, options) => write(entryOf('delete', type, ref.name), () => inner.delete(type, ref, options)),
    raw: (method, path, body) => read(`${method} ${path}`, () => inner.raw(method, path, body)),
  }
  return client
}

async function* gated<E>(events: AsyncIterable<E>, gate: () => Promise<void> | undefined): AsyncIterable<E> {
  for await (const event of events) {
    await gate()
    yield event
  }
}

function entryOf(
  verb: Write['verb'],
  { kind }: ResourceType<KubeObject>,
  name: string | undefined,
  options?: { readonly subresource?: string },
): Write {
  const { subresource } = options ?? {}
  return { verb, kind, name: name ?? '', ...(subresource === undefined ? {} : { subresource }) }
}

/** `patch ClusterLease/status`, for counts. */
export const describeWrite = ({ verb, kind, subresource, failed }: Write): string =>
  `${verb} ${kind}${subresource === undefined ? '' : `/${subresource}`}${failed === undefined ? '' : ` -> ${failed}`}`
