/** What every controller of the simulated world is given. Made once, by `world.ts`. */
import type { KubeClient } from '../../kube/client.ts'
import type { Clock } from '../../kube/clock.ts'
import type { EventRecorder } from '../../kube/event-recorder.ts'
import type { Log } from '../../kube/log.ts'
import type { Caches } from './caches.ts'
import type { Timings } from './timings.ts'

/** Answers a number in [0, 1), as `Math.random` does. */
export type Random = () => number

export interface WorldDeps {
  readonly client: KubeClient
  readonly caches: Caches
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  /** Events in the name of the component that would report them in a cluster. */
  readonly recorder: (component: string) => EventRecorder
  readonly timings: Timings
}
