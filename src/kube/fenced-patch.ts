/**
 * Writes that land only on the very object that was observed. The patch carries its UID and resourceVersion, so the
 * server answers 409 (`Conflict`) when anybody wrote in between or the name belongs to a new object.
 * No difference, no patch: the caller then writes nothing.
 */
import type { KubeObject } from '../api/resource.ts'
import type { Patch } from './client.ts'
import { mergeDiff } from './merge-diff.ts'

/** What identifies the observed state of an object. */
export interface Fence {
  readonly uid: string
  readonly resourceVersion: string
}

/** @throws TypeError when the object did not come from a server: a write without a fence is never meant. */
export function fenceOf(observed: KubeObject): Fence {
  const { uid, resourceVersion, name } = observed.metadata
  if (uid === undefined || resourceVersion === undefined) {
    throw new TypeError(
      `${observed.kind ?? 'object'} ${name ?? ''} has no uid or resourceVersion to fence a write with`,
    )
  }
  return { uid, resourceVersion }
}

/** For `client.patch(type, ref, patch, { subresource: 'status' })`. */
export function fencedStatusPatch<Status extends object>(
  observed: KubeObject & { readonly status?: Status | undefined },
  nextStatus: Status,
): Patch | undefined {
  const status = mergeDiff(observed.status ?? {}, nextStatus)
  if (status === undefined) return undefined
  return { type: 'merge', body: { metadata: fenceOf(observed), status } }
}

/** The parts of the metadata that a controller may change. */
export type DesiredMetadata = Pick<KubeObject['metadata'], 'labels' | 'annotations' | 'finalizers' | 'ownerReferences'>

/**
 * For changes outside the status. Only the fields given in `changes` are compared and written; each replaces the observed
 * one wholly (labels that are missing in it are removed).
 */
export function fencedPatch<T extends KubeObject & { spec?: unknown }>(
  observed: T,
  changes: { readonly metadata?: DesiredMetadata; readonly spec?: NonNullable<T['spec']> & object },
): Patch | undefined {
  const metadata = mergeDiff(pick(observed.metadata, changes.metadata ?? {}), changes.metadata ?? {})
  const spec = changes.spec === undefined ? undefined : mergeDiff({ ...(observed.spec ?? {}) }, changes.spec)
  if (metadata === undefined && spec === undefined) return undefined
  return {
    type: 'merge',
    body: { metadata: { ...metadata, ...fenceOf(observed) }, ...(spec === undefined ? {} : { spec }) },
  }
}

function pick(from: object, like: object): object {
  const names = new Set(Object.keys(like))
  return Object.fromEntries(Object.entries(from).filter(([name]) => names.has(name)))
}
