/**
 * What a replica knows of the admissions of one principal, and what it may decide from.
 *
 *   known   -> the record as this replica wrote it last, and its leases as the cache shows them. Nobody else has admitted
 *              anything since, or the replace of the record fails; and the cache has caught up with the list that was read
 *              when this began, so a lease that it does not show is in the record or is gone.
 *   fresh   -> record and leases read from the API server, in this order (admission-record.ts says why)
 *
 * An entry leaves the record when its lease was seen, or was refused, or is gone: from the cache that is known once the cache
 * is past the version that the lease was created with. What is known may count a lease that is over already, never miss one:
 * enough to admit, not enough to refuse.
 */
import type { ClusterLease } from '../../api/v1alpha1/cluster-lease.ts'
import { compareResourceVersions } from '../../kube/resource-version.ts'
import { type AdmissionEntry, type AdmissionRecord, ENTRY_TTL_MS } from './admission-record.ts'
import { ADMISSION_ANNOTATION } from './new-lease.ts'

/** How the creation of an admitted lease ended. */
export interface Settled {
  /** Epoch milliseconds. */
  readonly at: number
  /** resourceVersion of the lease when it was created; absent: the API server refused it. */
  readonly version?: string | undefined
}

/** The record and the leases that a batch is decided from. */
export interface Reading {
  readonly record: AdmissionRecord
  /** All leases of the principal, ended ones included. */
  readonly leases: readonly ClusterLease[]
  /** Entries of the record that may stand for a lease that `leases` does not show. */
  readonly open: readonly AdmissionEntry[]
  /** resourceVersion of the list of leases with which this replica began to know. */
  readonly listedAt: string
}

export interface AdmissionLine {
  /** From the record of this replica; undefined when something has to be read first. */
  known(cached: { readonly leases: readonly ClusterLease[]; readonly upTo: string }, now: number): Reading | undefined
  /** From what was read. `settledBefore`: `settledNow()` from before the list. */
  fresh(
    record: AdmissionRecord,
    list: { readonly items: readonly ClusterLease[]; readonly resourceVersion: string },
    moment: { readonly settledBefore: ReadonlySet<string>; readonly now: number },
  ): Reading
  /** The record was written after this reading. */
  wrote(record: AdmissionRecord, reading: Reading): void
  /** Another replica was faster. */
  lost(): void
  settle(entry: string, settled: Settled): void
  settledNow(): ReadonlySet<string>
  /** Whether nothing here is of use any more. */
  isSpent(now: number): boolean
}

export function createAdmissionLine(): AdmissionLine {
  const settled = new Map<string, Settled>()
  let mine: { readonly record: AdmissionRecord; readonly listedAt: string } | undefined
  return {
    known({ leases, upTo }, now) {
      if (mine === undefined || !isPast(upTo, mine.listedAt)) return undefined
      const isOver = (id: string): boolean => {
        const end = settled.get(id)
        return end !== undefined && (end.version === undefined || isPast(upTo, end.version))
      }
      // What only an own write shows may be forgotten before the cache shows it: its entry stays until then.
      const shown = leases.filter(({ metadata }) => isPast(upTo, metadata.resourceVersion))
      return { ...mine, leases, open: openEntries(mine.record, shown, { now, isOver }) }
    },
    fresh(record, { items, resourceVersion }, { settledBefore, now }) {
      const isOver = (id: string): boolean => settledBefore.has(id)
      return { record, leases: items, open: openEntries(record, items, { now, isOver }), listedAt: resourceVersion }
    },
    wrote(record, { record: before, listedAt }) {
      mine = { record, listedAt }
      // What is out of the record is never asked for again.
      const kept = new Set(record.entries.map(({ id }) => id))
      for (const { id } of before.entries) if (!kept.has(id)) settled.delete(id)
    },
    lost() {
      mine = undefined
    },
    settle(entry, end) {
      settled.set(entry, end)
    },
    settledNow: () => new Set(settled.keys()),
    isSpent: (now) => [...settled.values()].every(({ at }) => now - at > ENTRY_TTL_MS),
  }
}

function openEntries(
  record: AdmissionRecord,
  leases: readonly ClusterLease[],
  { now, isOver }: { readonly now: number; isOver(id: string): boolean },
): AdmissionEntry[] {
  if (record.entries.length === 0) return []
  const seen = new Set(leases.map(({ metadata }) => metadata.annotations?.[ADMISSION_ANNOTATION]))
  return record.entries.filter(({ id, at }) => !(seen.has(id) || isOver(id)) && now - at < ENTRY_TTL_MS)
}

const isPast = (upTo: string, version: string | undefined): boolean =>
  (compareResourceVersions(upTo, version) ?? -1) >= 0
