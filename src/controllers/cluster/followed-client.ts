/**
 * A client that knows which of its watches are open. A cache that has no open watch shows how things were: what it holds must not
 * be taken for how they are.
 */
import type { KubeObject, ResourceType } from '../../api/resource.ts'
import type { KubeClient, WatchEvent, WatchOptions } from '../../kube/client.ts'
import type { Clock } from '../../kube/clock.ts'

/** Servers end watches every few minutes; they are opened again at once. */
const BETWEEN_TWO_MS = 5_000

export interface FollowedClient {
  readonly client: KubeClient
  /** Whether changes of that kind are being told: its watch is open, or was ended in good order a moment ago. */
  isFollowing(type: ResourceType): boolean
}

interface Followed {
  open: number
  /** Until when it counts as open although it is not. Monotonic. */
  until: number
}

/** `changed` hears when an answer of `isFollowing` may have changed. */
export function followClient(inner: KubeClient, clock: Clock, changed: () => void): FollowedClient {
  const kinds = new Map<string, Followed>()
  const of = ({ plural }: ResourceType): Followed => {
    const known = kinds.get(plural) ?? { open: 0, until: Number.NEGATIVE_INFINITY }
    kinds.set(plural, known)
    return known
  }
  async function* watch<T extends KubeObject>(
    type: ResourceType<T>,
    options: WatchOptions,
  ): AsyncGenerator<WatchEvent<T>, void, undefined> {
    const kind = of(type)
    let isOpen = false
    const opened = (): void => {
      isOpen = true
      kind.open += 1
      changed()
      options.opened?.()
    }
    let endedWell = false
    try {
      yield* inner.watch(type, { ...options, opened })
      endedWell = true
    } finally {
      if (isOpen) kind.open -= 1
      kind.until = endedWell && isOpen ? clock.monotonic() + BETWEEN_TWO_MS : Number.NEGATIVE_INFINITY
      changed()
    }
  }
  return {
    client: { ...inner, watch },
    isFollowing(type) {
      const { open, until } = of(type)
      return open > 0 || clock.monotonic() < until
    },
  }
}
