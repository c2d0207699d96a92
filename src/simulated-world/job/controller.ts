/** The Job controller. */
import { ownerKeys } from '../../controllers/engine/sources.ts'
import { BY_CONTROLLER } from '../engine/cache.ts'
import type { WorldDeps } from '../engine/deps.ts'
import { createPlannedController, onChange, type WorldController } from '../engine/planned-controller.ts'
import type { Job } from '../kinds.ts'
import { type ObservedJob, planJob } from './plan-job.ts'

export function createJobController(deps: WorldDeps): WorldController {
  const { jobs, pods } = deps.caches
  return createPlannedController<Job, ObservedJob>(deps, {
    name: 'job',
    component: 'job-controller',
    subjects: jobs,
    observe: (job) => ({ job, pods: pods.byIndex(BY_CONTROLLER, job.metadata.uid ?? '') }),
    plan: planJob,
    dependents: [pods],
    sources: [onChange(pods, ownerKeys('Job'))],
  })
}
