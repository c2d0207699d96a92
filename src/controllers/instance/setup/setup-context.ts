/** What the steps of one `check` share. */
import type { Clock } from '../../../kube/clock.ts'
import type { Log } from '../../../kube/log.ts'
import type { RunBootstrapJob } from './bootstraps/run-job.ts'
import type { PublicFetch } from './fetch/fetch-public.ts'
import type { Guest } from './guest.ts'
import type { ManifestParser } from './manifest/parse-manifest.ts'
import type { SetupRequest } from './setup-request.ts'

export interface SetupContext {
  readonly request: SetupRequest
  readonly guest: Guest
  readonly clock: Clock
  readonly log: Log
  readonly fetch: PublicFetch
  readonly parse: ManifestParser
  readonly runJob: RunBootstrapJob | undefined
  /** `clock.monotonic()` after which no further object is begun: the next check goes on. */
  readonly deadline: number
}
