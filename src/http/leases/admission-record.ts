/**
 * The admission record of a principal: a ConfigMap that lists the leases that were admitted and may not exist yet. Every
 * admission replaces it under its resourceVersion, so of two replicas that both saw the last free place only one gets it.
 *
 * Why that is exact: a replica reads the record, then lists the leases, then replaces the record. Nothing else was admitted
 * in between, or the replace fails. A lease admitted earlier is in the record until somebody has seen it in a list that was
 * read after the record; from then on every later list shows it, or it is gone and holds no place any more.
 *
 * Most admissions need neither the read nor the list. The record that this replica wrote last is as good as one that is read:
 * if another replica has written since, the replace fails. And while it does not fail nobody else has admitted anything, so
 * a cache that has caught up with the last list shows every lease that is not in the record. See `admission-line.ts`.
 */
import { createHash } from 'node:crypto'
import { CONFIG_MAPS, type ConfigMap } from '../../api/core-resources.ts'
import { Label, OPERATOR_NAME } from '../../api/v1alpha1/labels.ts'
import type { KubeClient } from '../../kube/client.ts'
import { isKubeError } from '../../kube/errors.ts'

export interface AdmissionEntry {
  readonly id: string
  /** Name of the lease to be created. */
  readonly lease: string
  readonly alias?: string
  /** Epoch milliseconds. */
  readonly at: number
}

/** `object` absent: there is no record yet. */
export interface AdmissionRecord {
  readonly object?: ConfigMap
  readonly entries: readonly AdmissionEntry[]
}

export interface AdmissionRecords {
  read(principalKey: string): Promise<AdmissionRecord>
  /** The record as it is now; undefined when another replica wrote in between. */
  write(
    principalKey: string,
    record: AdmissionRecord,
    entries: readonly AdmissionEntry[],
  ): Promise<AdmissionRecord | undefined>
}

/** A creation takes at most this long (`CREATE_TIMEOUT_MS`) plus what clocks may differ; then its entry is void. */
export const ENTRY_TTL_MS = 60_000
/** How long the API server may take for the creation of an admitted lease. */
export const CREATE_TIMEOUT_MS = 15_000

const DATA_KEY = 'admitted'

export function createAdmissionRecords(client: KubeClient, namespace: string): AdmissionRecords {
  return {
    async read(principalKey) {
      try {
        const object = await client.get(CONFIG_MAPS, { name: recordName(principalKey), namespace })
        return { object, entries: parseEntries(object.data?.[DATA_KEY]) }
      } catch (error) {
        if (isKubeError(error, 'NotFound')) return { entries: [] }
        throw error
      }
    },
    async write(principalKey, record, entries) {
      const data = { [DATA_KEY]: JSON.stringify(entries) }
      try {
        const object =
          record.object === undefined
            ? await client.create(CONFIG_MAPS, { metadata: metadataOf(principalKey, namespace), data })
            : await client.replace(CONFIG_MAPS, { ...record.object, data })
        return { object, entries }
      } catch (error) {
        if (isKubeError(error, 'Conflict', 'AlreadyExists', 'NotFound')) return undefined
        throw error
      }
    },
  }
}

function recordName(principalKey: string): string {
  return `kobe-cluster-admission-${createHash('sha256').update(principalKey).digest('hex').slice(0, 16)}`
}

function metadataOf(principalKey: string, namespace: string) {
  return { name: recordName(principalKey), namespace, labels: { [Label.managedBy]: OPERATOR_NAME } }
}

/** A record that somebody has damaged is an empty one: the leases themselves still count. */
function parseEntries(text: string | undefined): AdmissionEntry[] {
  try {
    const parsed: unknown = JSON.parse(text ?? '[]')
    return Array.isArray(parsed) ? parsed.filter(isEntry) : []
  } catch {
    return []
  }
}

function isEntry(value: unknown): value is AdmissionEntry {
  if (typeof value !== 'object' || value === null) return false
  return (
    'id' in value && typeof value.id === 'string' && 'lease' in value && 'at' in value && typeof value.at === 'number'
  )
}
