/** Conditions of a namespace that is being deleted, worded as the real namespace controller words them. */
import type { StoredObject } from '../registry/resource-definition.ts'

interface Condition {
  readonly type: string
  readonly status: 'True' | 'False'
  readonly reason: string
  readonly message: string
  readonly lastTransitionTime: string
}

/** `before`: the conditions so far; a time moves only with its status. */
export function remainingConditions(
  left: readonly StoredObject[],
  time: string,
  before: readonly unknown[],
): Condition[] {
  const held = left.filter(({ metadata }) => (metadata.finalizers?.length ?? 0) > 0)
  const wanted: Array<Omit<Condition, 'lastTransitionTime'>> = [
    ok('NamespaceDeletionDiscoveryFailure', 'ResourcesDiscovered', 'All resources successfully discovered'),
    ok(
      'NamespaceDeletionGroupVersionParsingFailure',
      'ParsedGroupVersions',
      'All legacy kube types successfully parsed',
    ),
    ok(
      'NamespaceDeletionContentFailure',
      'ContentDeleted',
      'All content successfully deleted, may be waiting on finalization',
    ),
    left.length === 0
      ? ok('NamespaceContentRemaining', 'ContentRemoved', 'All content successfully removed')
      : {
          type: 'NamespaceContentRemaining',
          status: 'True',
          reason: 'SomeResourcesRemain',
          message: `Some resources are remaining: ${counted(left.map(resourceOf), 'has').join(', ')}`,
        },
    held.length === 0
      ? ok('NamespaceFinalizersRemaining', 'ContentHasNoFinalizers', 'All content-preserving finalizers finished')
      : {
          type: 'NamespaceFinalizersRemaining',
          status: 'True',
          reason: 'SomeFinalizersRemain',
          message: `Some content in the namespace has finalizers remaining: ${counted(
            held.flatMap(({ metadata }) => metadata.finalizers ?? []),
            'in',
          ).join(', ')}`,
        },
  ]
  return wanted.map((condition) => ({ ...condition, lastTransitionTime: timeOf(condition, time, before) }))
}

function ok(type: string, reason: string, message: string): Omit<Condition, 'lastTransitionTime'> {
  return { type, status: 'False', reason, message }
}

function resourceOf({ apiVersion, kind }: StoredObject): string {
  const slash = apiVersion.indexOf('/')
  const plural = `${kind.toLowerCase()}s`
  return slash < 0 ? `${plural}.` : `${plural}.${apiVersion.slice(0, slash)}`
}

function counted(names: readonly string[], verb: 'has' | 'in'): string[] {
  const counts = new Map<string, number>()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  return [...counts].sort().map(([name, count]) => `${name} ${verb} ${count} resource instances`)
}

function timeOf(wanted: { type: string; status: string }, time: string, before: readonly unknown[]): string {
  const known = (before as readonly Condition[]).find(({ type }) => type === wanted.type)
  return known?.status === wanted.status ? known.lastTransitionTime : time
}
