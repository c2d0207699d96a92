/** Everything that the server does without being asked, driven by the events of its own store. */
import type { Core } from '../registry/core.ts'
import { EventExpiry } from './event-expiry.ts'
import { GarbageCollector } from './garbage-collector.ts'
import { NamespaceCleaner } from './namespace-cleaner.ts'

/** Answers how to stop. */
export function startBackground(core: Core): () => void {
  const parts = [new GarbageCollector(core), new NamespaceCleaner(core), new EventExpiry(core)]
  for (const part of parts) part.start()
  return () => {
    for (const part of parts) part.stop()
  }
}
