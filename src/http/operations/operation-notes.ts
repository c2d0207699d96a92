/**
 * What the operator has said about operations: its Events, read from the host. One watch serves all who follow an operation, and
 * is there only while somebody does.
 */
import { EVENTS, type KubeEvent } from '../../api/core-resources.ts'
import type { NodeOperation } from '../../api/v1alpha1/node-operation.ts'
import { NODE_OPERATIONS } from '../../api/v1alpha1/resources.ts'
import { createInformer, type Informer } from '../../kube/informer.ts'
import type { HttpDeps } from '../deps.ts'
import type { NoteView } from '../schemas/note.ts'

type Deps = Pick<HttpDeps, 'client' | 'namespace' | 'clock' | 'log'>

export interface NoteFeed {
  /** Those that were not taken yet, oldest first; at the beginning what was said already. */
  take(): NoteView[]
  close(): void
}

export interface OperationNotes {
  /** All that is still known, oldest first. */
  of(operation: NodeOperation): Promise<NoteView[]>
  /** `onNote` is called for each new one. */
  follow(operation: NodeOperation, onNote: () => void): Promise<NoteFeed>
}

/** A host that is slow to tell what was said does not keep the operation itself from being shown. */
const FIRST_NOTES_MS = 1_000

export function createOperationNotes(deps: Deps): OperationNotes {
  const { client, namespace, clock } = deps
  const watch = createSharedWatch(deps)
  return {
    async of({ metadata }) {
      const fieldSelector = `involvedObject.uid=${metadata.uid}`
      const { items } = await client.list(EVENTS, { namespace, fieldSelector })
      return items.toSorted(oldestFirst).map(noteOf)
    },
    async follow({ metadata }, onNote) {
      const told = new Set<string>()
      let waiting: KubeEvent[] = []
      const { informer, filled, release } = watch.use()
      const unsubscribe = informer.on(({ type, object }) => {
        const { uid = '' } = object.metadata
        // Repetitions count up in the same Event: the sentence was told.
        if (type === 'DELETED' || object.involvedObject.uid !== metadata.uid || told.has(uid)) return
        told.add(uid)
        waiting.push(object)
        onNote()
      })
      await Promise.race([filled, clock.after(FIRST_NOTES_MS)])
      return {
        take() {
          const taken = waiting.toSorted(oldestFirst).map(noteOf)
          waiting = []
          return taken
        },
        close() {
          unsubscribe()
          release()
        },
      }
    },
  }
}

interface Shared {
  readonly informer: Informer<KubeEvent>
  readonly filled: Promise<void>
  readonly stopping: AbortController
  users: number
}

function createSharedWatch({ client, namespace, clock, log }: Deps) {
  let shared: Shared | undefined
  const open = (): Shared => {
    const fieldSelector = `involvedObject.kind=${NODE_OPERATIONS.kind}`
    const informer = createInformer(client, EVENTS, { namespace, fieldSelector, clock, log })
    const stopping = new AbortController()
    return { informer, stopping, filled: informer.start(stopping.signal), users: 0 }
  }
  return {
    use() {
      shared ??= open()
      const used = shared
      used.users += 1
      return {
        informer: used.informer,
        filled: used.filled,
        release() {
          used.users -= 1
          if (used.users > 0) return
          used.stopping.abort()
          if (shared === used) shared = undefined
        },
      }
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
