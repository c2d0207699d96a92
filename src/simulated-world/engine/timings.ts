/** How fast the simulated world is. All in milliseconds. */

export interface Timings {
  /** From a pod's start on its node until its containers run. Default 500. */
  readonly startDelayMs: number
  /** From running to ready. Default 300. */
  readonly readyDelayMs: number
  /** From the request to end until the containers have ended; never longer than the pod's grace period. Default 300. */
  readonly stopDelayMs: number
  /** How long the containers of a pod run that is not restarted for ever, such as a Job's. Default 1 000. */
  readonly runForMs: number
  /** First wait before a container that ended is started again; doubles up to 30 times that. Default 10 000. */
  readonly restartBackoffMs: number
  /** From power on to a kubelet that runs. Default 2 000. */
  readonly bootDelayMs: number
  /** From a kubelet that runs to a Ready node. Default 500. */
  readonly nodeReadyDelayMs: number
  /** How often a node's Lease is renewed. Default 10 000. */
  readonly leaseRenewMs: number
  /** A node whose Lease was not renewed for so long becomes Ready=Unknown. Default 40 000. */
  readonly nodeGraceMs: number
  /** Pods whose node does not exist any more are removed after so long. Default 5 000. */
  readonly orphanGraceMs: number
}

const DEFAULTS: Timings = {
  startDelayMs: 500,
  readyDelayMs: 300,
  stopDelayMs: 300,
  runForMs: 1_000,
  restartBackoffMs: 10_000,
  bootDelayMs: 2_000,
  nodeReadyDelayMs: 500,
  leaseRenewMs: 10_000,
  nodeGraceMs: 40_000,
  orphanGraceMs: 5_000,
}

/** Fills in the defaults. @throws RangeError for a time that is negative or no number. */
export function resolveTimings(given: Partial<Timings> = {}): Timings {
  const timings = { ...DEFAULTS, ...given }
  for (const [name, value] of Object.entries(timings)) {
    if (!Number.isFinite(value) || value < 0) throw new RangeError(`${name}: ${value} is no number of milliseconds`)
  }
  return timings
}
