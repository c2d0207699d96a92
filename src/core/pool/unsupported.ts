/** What a pool asks for that its backend can never give: the pool is Stalled, never silently Ready without it. */
import type { ClusterPool } from '../../api/v1alpha1/cluster-pool.ts'
import type { PoolCapabilities } from './observed.ts'

export interface Unsupported {
  /** Where it is asked for. */
  readonly path: string
  readonly what: string
}

const BACKEND_TYPE_PATH = 'spec.backend.type'

export function unsupportedParts(spec: ClusterPool['spec'], capabilities: PoolCapabilities): Unsupported[] {
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
  const bootstraps =
    spec.bootstraps.length > 0 && !capabilities.runsBootstrapJobs
      ? [{ path: 'spec.bootstraps', what: 'bootstrap jobs' }]
      : []
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
