/** The counters of the engine, per controller. */
import type { ControllerMetrics } from './engine/controller.ts'
import type { OperatorMetrics } from './metrics.ts'

export function engineMetrics(metrics: OperatorMetrics, controller: string): ControllerMetrics {
  return {
    reconciled: (result, seconds) => {
      metrics.reconciliations.inc({ controller, result })
      metrics.reconcileDuration.observe({ controller }, seconds)
    },
    queueDepth: (depth) => metrics.workqueueDepth.set({ controller }, depth),
  }
}
