/**
 * The spec hash: 16 hex digits over everything that shapes a member. Four sources [doc]:
 * 1 what the user wrote that shapes a member; 2 operator configuration (vkobe pools only); 3 the content of each BootstrapConfig;
 * 4 the workload the backend would make now. Not in it: size, scaling, ttl, upgradePolicy, healthCheck, readinessGates,
 * snapshot, labels. Order of keys and spelled-out defaults make no difference.
 */
import type { BootstrapConfig } from '../../api/v1alpha1/bootstrap-config.ts'
import type { ClusterPool, PoolSpec, SpecHashSources } from '../../api/v1alpha1/cluster-pool.ts'
import { canonicalJson } from '../fleet/canonical-json.ts'

/**
 * Version of the algorithm below. IMPORTANT: raise it with *any* change of what the same manifest hashes to; members with an
 * older version are stamped anew then, and no pool is rolled.
 */
export const SPEC_HASH_VERSION = 1

export interface OperatorHashConfig {
  /** `KOBE_SYNC_IMAGE`; shapes members of vkobe pools only. */
  readonly kobeSyncImage?: string
}

/** The four sources, as plain values. */
export interface SpecHashInputs {
  readonly spec: unknown
  readonly operator: unknown
  readonly bootstraps: unknown
  readonly workload: unknown
}

export interface SpecHashFacts {
  readonly pool: ClusterPool
  readonly operator: OperatorHashConfig
  /** The BootstrapConfigs that the pool names, in the order of its references. */
  readonly bootstraps: readonly BootstrapConfig[]
  /** `Backend.fingerprint` of the pool's backend and template. */
  readonly fingerprint: unknown
}

export function specHashInputs({ pool, operator, bootstraps, fingerprint }: SpecHashFacts): SpecHashInputs {
  const { spec } = pool
  return {
    spec: {
      backend: backendInput(spec.backend),
      cluster: { ...spec.cluster, agents: spec.cluster.agents ?? 0 },
      addons: spec.addons,
      bootstraps: spec.bootstraps,
      resources: resourcesInput(spec.resources),
    },
    operator: spec.backend.type === 'vkobe' ? { kobeSyncImage: operator.kobeSyncImage ?? null } : {},
    bootstraps: bootstraps.map((config) => ({ name: config.metadata.name, spec: config.spec })),
    workload: fingerprint ?? null,
  }
}

/** The text that is hashed. */
export const specHashText = (inputs: SpecHashInputs): string => canonicalJson(inputs)

/** `sha256Hex` answers the SHA-256 of a UTF-8 text in lower case hex. */
export const specHash = (inputs: SpecHashInputs, sha256Hex: (text: string) => string): string =>
  sha256Hex(specHashText(inputs)).slice(0, 16)

/** A digest of each source by itself: which of them changed can be told without the inputs. */
export function specHashSources(inputs: SpecHashInputs, sha256Hex: (text: string) => string): SpecHashSources {
  const digest = (source: unknown) => sha256Hex(canonicalJson(source)).slice(0, 16)
  return {
    version: SPEC_HASH_VERSION,
    spec: digest(inputs.spec),
    operator: digest(inputs.operator),
    bootstraps: digest(inputs.bootstraps),
    workload: digest(inputs.workload),
  }
}

/** Only the block of the chosen backend shapes a member. Its block may be left out: then its defaults hold. */
function backendInput(backend: PoolSpec['backend']): unknown {
  const { type, datastore, capi, vkobe, vcluster, embedded } = backend
  const blocks: Record<string, unknown> = {
    capi,
    vkobe,
    vcluster: vcluster ?? {},
    embedded: { isolation: 'process', storage: 'sqlite', ...embedded },
  }
  return { type, datastore, block: blocks[type] }
}

/** A limit without a request is its request; a quantity may be written as a number. */
function resourcesInput(resources: PoolSpec['resources']): unknown {
  const limits = quantities(resources?.limits)
  return { limits, requests: { ...limits, ...quantities(resources?.requests) } }
}

const quantities = (map: Record<string, string | number> | undefined): Record<string, string> =>
  Object.fromEntries(Object.entries(map ?? {}).map(([name, quantity]) => [name, String(quantity)]))

export type SpecSource = keyof SpecHashInputs

/** One place where two sets of inputs differ. */
export interface InputChange {
  readonly source: SpecSource
  /** Where in the source, such as `cluster.version` or `addons[0].url`. */
  readonly path: string
  /** Absent: there was nothing. */
  readonly before?: unknown
  /** Absent: there is nothing any more. */
  readonly after?: unknown
}

export const SPEC_SOURCES = ['spec', 'operator', 'bootstraps', 'workload'] as const satisfies readonly SpecSource[]

/** Why two hashes differ: every changed leaf, source by source. Empty when the inputs mean the same. */
export function explainDrift(before: SpecHashInputs, after: SpecHashInputs): InputChange[] {
  return SPEC_SOURCES.flatMap((source) =>
    differences(before[source], after[source], '').map((change) => ({ source, ...change })),
  )
}

type Difference = Omit<InputChange, 'source'>

function differences(before: unknown, after: unknown, path: string): Difference[] {
  if (canonicalJson(before) === canonicalJson(after)) return []
  if (!isBranch(before) || !isBranch(after) || Array.isArray(before) !== Array.isArray(after)) {
    return [{ path, ...(before === undefined ? {} : { before }), ...(after === undefined ? {} : { after }) }]
  }
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort()
  const below = (key: string): string =>
    Array.isArray(before) ? `${path}[${key}]` : path === '' ? key : `${path}.${key}`
  return keys.flatMap((key) => differences(before[key], after[key], below(key)))
}

const isBranch = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null
