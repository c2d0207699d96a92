/** Says once which source changed when the template of a pool changes: everything that rolls members is explained by it. */
import type { SpecHashSources } from '../../api/v1alpha1/cluster-pool.ts'
import { Reason } from '../../api/v1alpha1/reasons.ts'
import type { Note } from '../plan.ts'
import type { PoolObserved } from './observed.ts'
import { type InputChange, SPEC_SOURCES, type SpecSource } from './spec-hash.ts'

/** What each source is, for a person. */
const MEANING: Readonly<Record<SpecSource, string>> = {
  spec: 'the spec of the pool',
  operator: 'KOBE_SYNC_IMAGE of the operator',
  bootstraps: 'the content of its BootstrapConfigs',
  workload: 'what the backend makes of it',
}

/** How many changes are spelled out. */
const SHOWN = 3
/** Longer values are cut, in characters. */
const VALUE_LENGTH = 60

/** Empty when nothing changed, or when nobody can tell: unknown digests, or digests of different algorithms. */
export function changedSources(before: SpecHashSources | undefined, after: SpecHashSources | undefined): SpecSource[] {
  if (before === undefined || after === undefined || before.version !== after.version) return []
  return SPEC_SOURCES.filter((source) => before[source] !== after[source])
}

/** The status holds the digests of the template before, so it is said once, over restarts too. */
export function specChangedNotes({ pool, specHash }: PoolObserved): Note[] {
  if (specHash.state !== 'known') return []
  const sources = changedSources(pool.status?.specHashSources, specHash.sources)
  if (sources.length === 0) return []
  const what = sources.map((source) => `${source} (${MEANING[source]})`).join(' and ')
  const message = `Spec changed: ${what}${detail(specHash.changes ?? [])}; spec hash ${pool.status?.currentSpecHash ?? 'unknown'} -> ${specHash.hash}`
  return [{ reason: Reason.SpecChanged, message, level: 'Info' }]
}

function detail(changes: readonly InputChange[]): string {
  if (changes.length === 0) return ''
  const rest = changes.length > SHOWN ? ` and ${changes.length - SHOWN} more` : ''
  return `: ${changes.slice(0, SHOWN).map(describeChange).join(', ')}${rest}`
}

/** Such as `cluster.version "v1.36.0" -> "v1.36.1"`. */
export function describeChange(change: InputChange): string {
  const { source, path, before, after } = withoutSecrets(change)
  const where = source === 'spec' ? path : `${source}${path === '' ? '' : ` ${path}`}`
  if (before === undefined && after === undefined) return where
  return `${where} ${valueText(before)} -> ${valueText(after)}`
}

/** Manifests, parameters, arguments and free-form blocks may hold secrets: of those only the place is told. */
export function withoutSecrets(change: InputChange): InputChange {
  const { source, path } = change
  const plain = source === 'operator' || (source === 'spec' && PLAIN.test(path))
  return plain ? change : { source, path }
}

const PLAIN =
  /^(cluster\.(?!serverArgs|registryMirrors)|resources\.|backend\.type$|backend\.block\.(isolation|storage)$)/

function valueText(value: unknown): string {
  if (value === undefined) return 'nothing'
  const text = JSON.stringify(value)
  return text.length > VALUE_LENGTH ? `${text.slice(0, VALUE_LENGTH)}...` : text
}
