/** What a pool asks for that its backend can never give: the pool is Stalled, never silently Ready without it. */
import type { PoolObserved } from './observed.ts'

export interface Unsupported {
  /** Where it is asked for. */
  readonly path: string
  readonly what: string
}

type Asked = Pick<PoolObserved, 'pool' | 'capabilities' | 'bootstrapJobs'>

const BACKEND_TYPE_PATH = 'spec.backend.type'

export function unsupportedParts({ pool, capabilities, bootstrapJobs }: Asked): Unsupported[] {
  const { spec } = pool
  // Nothing may ever be created: this operator does not have the backend.
  if (capabilities.maxConcurrentCreates <= 0) return [{ path: BACKEND_TYPE_PATH, what: 'clusters' }]
  const gates = spec.readinessGates
    .map((gate, position) => ({
      path: `spec.readinessGates[${position}]`,
      what: `the gate ${gate.type}`,
      type: gate.type,
    }))
    .filter((gate) => !capabilities.gates.has(gate.type))
    .map(({ path, what }) => ({ path, what }))
  // The files of a bootstrap are applied to the API of the member, which every backend has.
  const withJob = spec.bootstraps.some(({ name }) => bootstrapJobs?.has(name) ?? true)
  const bootstraps =
    withJob && !capabilities.runsBootstrapJobs ? [{ path: 'spec.bootstraps', what: 'bootstrap jobs' }] : []
  const addons =
    spec.addons.length > 0 && capabilities.installsAddons === false ? [{ path: 'spec.addons', what: 'addons' }] : []
  return [...gates, ...bootstraps, ...addons]
}

export function unsupportedMessage(backend: string, parts: readonly Unsupported[]): string {
  if (parts.some(({ path }) => path === BACKEND_TYPE_PATH)) {
    return `this version of Kobe cannot run clusters of backend ${backend} yet: nothing is created; choose another ${BACKEND_TYPE_PATH}`
  }
  const missing = parts.map(({ path, what }) => `${what} (${path})`).join(', ')
  return `backend ${backend} cannot provide ${missing}: remove it or choose another backend`
}
