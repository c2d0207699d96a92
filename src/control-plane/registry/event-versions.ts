/**
 * Events are one resource under two groups: `v1` (stored) and `events.k8s.io/v1`, which names the same fields otherwise
 * `[k8s]`. What one client records through either is seen through both.
 */
import type { ResourceDefinition, StoredObject } from './resource-definition.ts'

/** Name in `v1` -> name in `events.k8s.io/v1`. */
const RENAMED: ReadonlyArray<readonly [string, string]> = [
  ['involvedObject', 'regarding'],
  ['message', 'note'],
  ['source', 'deprecatedSource'],
  ['firstTimestamp', 'deprecatedFirstTimestamp'],
  ['lastTimestamp', 'deprecatedLastTimestamp'],
  ['count', 'deprecatedCount'],
  ['reportingComponent', 'reportingController'],
]

export const EVENTS_GROUP = 'events.k8s.io'

export function isNewEvent({
  group,
  plural,
  origin,
}: Pick<ResourceDefinition, 'group' | 'plural' | 'origin'>): boolean {
  return group === EVENTS_GROUP && plural === 'events' && origin === 'builtin'
}

export function toCoreEvent(event: StoredObject): StoredObject {
  return { ...rename(event, new Map(RENAMED.map(([core, other]) => [other, core]))), apiVersion: 'v1' }
}

export function fromCoreEvent(event: StoredObject): StoredObject {
  const { reportingController, reportingInstance, ...rest } = rename(event, new Map(RENAMED))
  return {
    ...(rest as StoredObject),
    ...(reportingController ? { reportingController } : {}),
    ...(reportingInstance ? { reportingInstance } : {}),
    apiVersion: `${EVENTS_GROUP}/v1`,
  }
}

function rename(event: StoredObject, names: ReadonlyMap<string, string>): StoredObject {
  const { apiVersion, kind, metadata, ...fields } = event
  const renamed = Object.entries(fields).map(([name, value]) => [names.get(name) ?? name, value])
  return { apiVersion, kind, metadata, ...Object.fromEntries(renamed) }
}
