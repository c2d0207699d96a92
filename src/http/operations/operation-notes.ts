/**
 * What the operator has said about an operation: its Events, read from the host as they come. One watch for each reader, as
 * readers are few; nothing is kept.
 */
import { EVENTS, type KubeEvent } from '../../api/core-resources.ts'
import type { NodeOperation } from '../../api/v1alpha1/node-operation.ts'
import { createInformer } from '../../kube/informer.ts'
import type { HttpContext } from '../context.ts'
import type { NoteView } from '../schemas/note.ts'

type Deps = HttpContext['deps']

const selectorOf = ({ metadata }: NodeOperation): string => `involvedObject.uid=${metadata.uid}`

/** Oldest first. */
export async function operationNotes({ client, namespace }: Deps, operation: NodeOperation): Promise<NoteView[]> {
  const { items } = await client.list(EVENTS, { namespace, fieldSelector: selectorOf(operation) })
  return items.toSorted(oldestFirst).map(noteOf)
}

export interface NoteFeed {
  /** Those that nobody has taken yet, oldest first. */
  take(): NoteView[]
  close(): Promise<void>
}

/** A host that is slow to tell what was said does not keep the operation itself from being shown. */
const FIRST_NOTES_MS = 1_000

/** Begins with what was said already. `onNote` is called for each new one. */
export async function openNoteFeed(
  { client, namespace, clock, log }: Deps,
  operation: NodeOperation,
  onNote: () => void,
): Promise<NoteFeed> {
  const stopping = new AbortController()
  const told = new Set<string>()
  let waiting: KubeEvent[] = []
  const informer = createInformer(client, EVENTS, { namespace, fieldSelector: selectorOf(operation), clock, log })
  informer.on(({ type, object }) => {
    const { uid = '' } = object.metadata
    // Repetitions count up in the same Event: the sentence was told.
    if (type === 'DELETED' || told.has(uid)) return
    told.add(uid)
    waiting.push(object)
    onNote()
  })
  await Promise.race([informer.start(stopping.signal), clock.after(FIRST_NOTES_MS)])
  return {
    take() {
      const taken = waiting.toSorted(oldestFirst).map(noteOf)
      waiting = []
      return taken
    },
    async close() {
      stopping.abort()
      await informer.stopped()
    },
  }
}

const momentOf = ({ eventTime, firstTimestamp, metadata }: KubeEvent): string =>
  eventTime ?? firstTimestamp ?? metadata.creationTimestamp ?? ''

const oldestFirst = (a: KubeEvent, b: KubeEvent): number => (momentOf(a) < momentOf(b) ? -1 : 1)

const noteOf = ({ reason = '', message = '', type }: KubeEvent): NoteView => ({
  reason,
  message,
  level: type === 'Warning' ? 'Warning' : 'Info',
})
