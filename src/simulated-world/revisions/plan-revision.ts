/**
 * The history of a StatefulSet's or DaemonSet's template as ControllerRevisions, from which `kubectl rollout history` and
 * `undo` read. The present template always has the highest number: a rollback moves the old revision up.
 */
import { isDeepStrictEqual } from 'node:util'
import type { KubeObject, ResourceType } from '../../api/resource.ts'
import type { Action } from '../engine/plan.ts'
import { CONTROLLER_REVISIONS, type ControllerRevision, type PodTemplate } from '../kinds.ts'
import { ownerReferenceTo } from '../objects/pods.ts'
import { templateHash } from '../objects/template-hash.ts'

/** Label of pods and revisions: which template. A StatefulSet writes the revision's name, a DaemonSet its hash. */
export const REVISION_HASH_LABEL = 'controller-revision-hash'

export interface RevisionPlan {
  readonly name: string
  readonly hash: string
  readonly actions: readonly Action[]
}

interface Owner {
  readonly type: ResourceType
  readonly object: KubeObject & { readonly spec: { readonly template: PodTemplate } }
  readonly revisions: readonly ControllerRevision[]
}

export function planRevision({ type, object, revisions }: Owner): RevisionPlan {
  const { template } = object.spec
  const next = Math.max(0, ...revisions.map(({ revision }) => revision)) + 1
  const present = revisions.find((one) => isRevisionOf(one, template))
  const hash = present?.metadata.labels?.[REVISION_HASH_LABEL] ?? templateHash(template)
  const name = present?.metadata.name ?? `${(object.metadata.name ?? '').slice(0, 223)}-${hash}`
  if (present === undefined) {
    const created = renderRevision({ type, object, name, hash, revision: next })
    return { name, hash, actions: [{ kind: 'Create', type: CONTROLLER_REVISIONS, object: created }] }
  }
  if (present.revision === next - 1) return { name, hash, actions: [] }
  const moved: ControllerRevision = { ...present, revision: next }
  return { name, hash, actions: [{ kind: 'Replace', type: CONTROLLER_REVISIONS, object: moved }] }
}

/** The template as it was, without the directive of the patch that it is kept as. */
export function templateOf(revision: ControllerRevision | undefined): PodTemplate | undefined {
  const kept = revision?.data?.spec?.template
  if (kept === undefined) return undefined
  const { metadata, spec } = kept
  return { ...(metadata === undefined ? {} : { metadata }), spec }
}

function isRevisionOf(revision: ControllerRevision, template: PodTemplate): boolean {
  const kept = templateOf(revision)
  return kept !== undefined && isDeepStrictEqual(plain(kept), plain(template))
}

function plain({ metadata, spec }: PodTemplate): object {
  const { labels = {}, annotations = {} } = metadata ?? {}
  return JSON.parse(JSON.stringify({ labels, annotations, spec }))
}

interface Rendered {
  readonly type: ResourceType
  readonly object: Owner['object']
  readonly name: string
  readonly hash: string
  readonly revision: number
}

function renderRevision({ type, object, name, hash, revision }: Rendered): ControllerRevision {
  const { template } = object.spec
  const { namespace } = object.metadata
  // Kept as the strategic merge patch that brings the template back: that is what `kubectl rollout undo` sends.
  const patch = { ...template, $patch: 'replace' }
  return {
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      labels: { ...template.metadata?.labels, [REVISION_HASH_LABEL]: hash },
      ownerReferences: [ownerReferenceTo(type, object)],
    },
    data: { spec: { template: patch } },
    revision,
  }
}

/** Revisions beyond the limit, oldest first; those in use stay. */
export function surplusRevisions(
  revisions: readonly ControllerRevision[],
  inUse: ReadonlySet<string>,
  limit: number,
): Action[] {
  const idle = revisions.filter(({ metadata }) => !inUse.has(metadata.name ?? ''))
  const surplus = idle.toSorted((a, b) => a.revision - b.revision).slice(0, Math.max(0, idle.length - limit))
  return surplus.map((object) => ({ kind: 'Delete', type: CONTROLLER_REVISIONS, object }))
}
