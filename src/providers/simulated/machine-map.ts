/** The ConfigMap that holds the machines of one simulated cluster: one key per machine, its record as JSON. */
import { CONFIG_MAPS, type ConfigMap } from '../../api/core-resources.ts'
import type { KubeClient, ObjectRef } from '../../kube/client.ts'
import { isKubeError } from '../../kube/errors.ts'
import type { MachineRecord } from '../machine-life.ts'
import type { Records } from '../record-provider.ts'

/** Writers meet on one object: the cloud and the provider of one operator, seldom more. */
const MOST_ATTEMPTS = 20

export function recordsOf({ data }: ConfigMap): Records {
  return new Map(Object.entries(data ?? {}).map(([name, text]) => [name, JSON.parse(text) as MachineRecord]))
}

export function dataOf(records: Records): Record<string, string> {
  return Object.fromEntries([...records].map(([name, record]) => [name, JSON.stringify(record)]))
}

export type RecordChanges = ReadonlyMap<string, MachineRecord | undefined>

/**
 * Writes what `change` makes of the records that are there now; nothing when it changes nothing. Answers the map afterwards.
 * @throws KubeError NotFound, Conflict when others keep writing
 */
export async function updateMachineMap(
  client: KubeClient,
  ref: ObjectRef,
  change: (configMap: ConfigMap) => RecordChanges,
): Promise<ConfigMap> {
  for (let attempt = 1; ; attempt++) {
    const present = await client.get(CONFIG_MAPS, ref)
    const data = changedData(present, change(present))
    if (data === undefined) return present
    const { resourceVersion, uid } = present.metadata
    try {
      return await client.patch(CONFIG_MAPS, ref, { type: 'merge', body: { metadata: { resourceVersion, uid }, data } })
    } catch (error) {
      if (!isKubeError(error, 'Conflict') || attempt >= MOST_ATTEMPTS) throw error
    }
  }
}

/** A merge patch of the keys that differ; undefined when none does. */
function changedData({ data = {} }: ConfigMap, changes: RecordChanges): Record<string, string | null> | undefined {
  const texts = [...changes].map(
    ([name, record]) => [name, record === undefined ? null : JSON.stringify(record)] as const,
  )
  const differing = texts.filter(([name, text]) => (data[name] ?? null) !== text)
  return differing.length === 0 ? undefined : Object.fromEntries(differing)
}
