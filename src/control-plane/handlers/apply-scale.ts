/**
 * Server-side apply through `/scale`: whoever applies a `Scale` wants one field of the object, and meets others there as if
 * it had applied that field alone.
 */
import { applyServerSide, checkApplied } from '../apply/apply.ts'
import { type Conflict, conflictError } from '../apply/conflict-error.ts'
import { fieldElement } from '../apply/path-element.ts'
import { apiVersionOf } from '../registry/api-version.ts'
import { formatTime } from '../registry/core.ts'
import type { FieldOwners } from '../registry/field-owners.ts'
import { viewOf } from '../registry/view.ts'
import { isObject, type JsonObject } from '../schema/json.ts'
import type { Answer, ApiRequest } from './api-request.ts'
import { applyOptionsOf, readApplied } from './apply-object.ts'
import { currentEntry } from './current-entry.ts'
import { getAt, pathsOf, setAt, writeReplicas } from './scale.ts'
import { scaleDefinition } from './scale-definition.ts'

export async function applyScale(request: ApiRequest): Promise<Answer> {
  const { core, definition } = request
  const { manager, force, findings } = applyOptionsOf(request)
  const applied = await readApplied(request, findings)
  checkApplied(scaleDefinition(definition), applied)
  // From here on nothing is awaited: no other write comes between the read and the write.
  const current = currentEntry(request)
  const live = viewOf(definition, current).copy()
  const outcome = applyServerSide({
    registry: core.registry,
    definition,
    live,
    applied: wantedOf(request, applied),
    manager,
    force,
    subresource: 'scale',
    now: formatTime(core.now()),
  })
  if (outcome.kind === 'conflict') throw conflictError(outcome.conflicts.map(inScale))
  const owners: FieldOwners = () => outcome.managedFields
  const path = pathsOf(definition).specReplicasPath
  // What is left out is not touched.
  const replicas = getAt(outcome.object, path) ?? getAt(live, path)
  return writeReplicas(request, { current, owners, scale: { ...applied, spec: { replicas } } })
}

/** The object as whoever applies the `Scale` wants it. */
function wantedOf({ definition, name = '' }: ApiRequest, scale: JsonObject): JsonObject {
  const { group, version, kind } = definition
  const wanted = { apiVersion: apiVersionOf(group, version), kind, metadata: { name } }
  const replicas = getAt(scale, '.spec.replicas')
  if (replicas !== undefined && isObject(scale['spec'])) {
    setAt(wanted, pathsOf(definition).specReplicasPath, replicas)
  }
  return wanted
}

/** Told in terms of the `Scale`, wherever the kind keeps its replicas. */
const inScale = ({ manager }: Conflict): Conflict => ({
  manager: {
    manager: manager.manager,
    operation: manager.operation,
    subresource: manager.subresource,
    apiVersion: 'autoscaling/v1',
  },
  path: [fieldElement('spec'), fieldElement('replicas')],
})
