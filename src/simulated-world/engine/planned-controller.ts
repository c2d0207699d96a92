/**
 * Runs one planner over the objects of one kind: observe from the caches, plan, execute, then say what was done.
 * A pass waits until the caches show what the pass before has created and deleted.
 */
import type { KubeObject } from '../../api/resource.ts'
import { type Controller, createController, type ReconcileResult } from '../../controllers/engine/controller.ts'
import { enqueueOnChange, type KeysOf } from '../../controllers/engine/sources.ts'
import { withSources } from '../../controllers/engine/with-sources.ts'
import type { EventRecorder } from '../../kube/event-recorder.ts'
import { createExpectations, type ExpectationCache, type Expectations } from '../../kube/expectations.ts'
import { objectKey, splitKey } from '../../kube/object-key.ts'
import type { Cache } from './cache.ts'
import type { WorldDeps } from './deps.ts'
import { executeActions } from './execute.ts'
import { earliest, type Plan } from './plan.ts'

/** Subscribes a controller to whatever wakes it; answers how to end that. */
export type Source = (controller: Pick<Controller, 'enqueue' | 'enqueueAfter'>) => () => void

export interface PlannedControllerOptions<T extends KubeObject, Observed> {
  readonly name: string
  /** Who reports its events, such as `deployment-controller`. */
  readonly component: string
  readonly subjects: Cache<T>
  /** Everything that the plan looks at, in one value; undefined: there is nothing to do for this object. */
  readonly observe: (subject: T) => Observed | undefined
  readonly plan: (observed: Observed, now: number) => Plan
  /** Kinds that it creates or deletes. */
  readonly dependents?: readonly Cache<KubeObject>[]
  /** What wakes it besides its subjects. */
  readonly sources?: readonly Source[]
  /** Passes at the same time. Default 2. */
  readonly concurrency?: number
  /** The subject has gone. */
  readonly forget?: (key: string) => void
  /** Called when the actions of a plan are done. */
  readonly done?: (observed: Observed, plan: Plan) => void
}

export interface WorldController {
  readonly controller: Controller
  /** Caches that have to be filled before it runs. */
  readonly needs: readonly Cache<KubeObject>[]
}

export function createPlannedController<T extends KubeObject, Observed>(
  deps: WorldDeps,
  options: PlannedControllerOptions<T, Observed>,
  alsoNeeds: readonly Cache<KubeObject>[] = [],
): WorldController {
  const { name, subjects, dependents = [], sources = [], concurrency = 2 } = options
  const expectations = createExpectations({ caches: expectedIn([...dependents, subjects]), clock: deps.clock })
  const recorder = deps.recorder(options.component)
  const controller = createController({
    name,
    concurrency,
    clock: deps.clock,
    random: deps.random,
    log: deps.log,
    reconcile: (key) => pass({ deps, options, expectations, recorder }, key),
  })
  const connect = () => [enqueueOnChange(subjects.informer, controller), ...sources.map((source) => source(controller))]
  return { controller: withSources(controller, connect), needs: [subjects, ...dependents, ...alsoNeeds] }
}

function expectedIn(caches: readonly Cache<KubeObject>[]): Record<string, ExpectationCache> {
  return Object.fromEntries(caches.map(({ type, informer }) => [type.kind, informer]))
}

interface Pass<T extends KubeObject, Observed> {
  readonly deps: WorldDeps
  readonly options: PlannedControllerOptions<T, Observed>
  readonly expectations: Expectations
  readonly recorder: EventRecorder
}

async function pass<T extends KubeObject, Observed>(
  { deps, options, expectations, recorder }: Pass<T, Observed>,
  key: string,
): Promise<ReconcileResult> {
  const { namespace, name } = splitKey(key)
  const subject = options.subjects.get(namespace, name)
  if (subject === undefined) {
    expectations.forget(key)
    options.forget?.(key)
    return {}
  }
  const wait = expectations.waitMs(key)
  if (wait !== undefined) return { requeueAfterMs: wait }
  const observed = options.observe(subject)
  if (observed === undefined) return {}
  const plan = options.plan(observed, deps.clock.now())
  const { type } = options.subjects
  const execution = { deps, expectations, key, fieldManager: options.component, written: new Map() }
  const { status } = plan
  const statusPatch = status === undefined ? [] : [{ kind: 'PatchStatus', type, object: subject, status } as const]
  await executeActions(execution, [...plan.actions, ...statusPatch])
  for (const { about = subject, ...content } of plan.notes) recorder.record(about, content)
  options.done?.(observed, plan)
  return { requeueAfterMs: earliest(plan.requeueAfterMs, expectations.waitMs(key)) }
}

/** Wakes a controller with the keys that a change in another cache concerns. */
export function onChange<T extends KubeObject>(cache: Cache<T>, keysOf: KeysOf<T>): Source {
  return (controller) => enqueueOnChange(cache.informer, controller, keysOf)
}

/** Any change wakes every object in `subjects` that `concerns` picks. */
export function wakeAll<T extends KubeObject, S extends KubeObject>(
  cache: Cache<T>,
  subjects: Cache<S>,
  concerns: (changed: Readonly<T>, subject: S) => boolean,
): Source {
  return onChange(cache, (changed) =>
    subjects
      .list()
      .filter((subject) => concerns(changed, subject))
      .map((subject) => objectKey(subject)),
  )
}
