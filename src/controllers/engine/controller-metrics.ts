/** What one controller counts. */

/**
 * `success`: nothing to do until an event. `requeue`: looks again after the time the pass asked for. `conflict`: somebody
 * else wrote first, tried again at once. `error`: tried again with growing waits. `terminal`: not tried again.
 */
export type PassResult = 'success' | 'requeue' | 'conflict' | 'error' | 'terminal'

export interface ControllerMetrics {
  /** A pass ended: `kobe_reconciliations_total{controller,result}`, `kobe_reconcile_duration_seconds{controller}`. */
  reconciled(result: PassResult, seconds: number): void
  /** Keys that are ready and wait for a worker: `kobe_workqueue_depth{controller}`. */
  queueDepth(keys: number): void
}

export const noMetrics: ControllerMetrics = { reconciled: () => undefined, queueDepth: () => undefined }
