/** What every built-in kind gets around its own strategy: canonical quantities, and the zeros of a fresh status. */
import { badRequest } from '../errors.ts'
import type { StoredObject, Strategy } from '../registry/resource-definition.ts'
import { applyDefaults } from '../schema/default.ts'
import { resolveSchema } from '../schema/resolve-schema.ts'
import type { FieldError, Schema } from '../schema/schema.ts'
import { at, type Fields, isFields, listAt, setDefault } from './fields.ts'
import { normaliseQuantities } from './normalise-quantities.ts'
import { QUANTITY_RULE } from './quantity.ts'
import { REF_PREFIX, resolveBuiltin } from './schemas.ts'

/** `name` is the definition of the kind; `own` is what its strategy does. */
export function completeStrategy(name: string, own: Strategy = {}): Strategy {
  return {
    ...own,
    defaults(object) {
      refuseQuantities(object, normaliseQuantities(name, object))
      own.defaults?.(object)
      fillStatus(name, object)
      fillNulls(name, object)
    },
  }
}

/** Counts and nested structures that Go writes always, such as `status: {replicas: 0}`. */
function fillStatus(name: string, object: StoredObject): void {
  const schema = resolveBuiltin(`${REF_PREFIX}${name}`).properties?.['status']
  const status = at(object, 'status')
  if (schema === undefined || !isFields(status)) return
  applyDefaults(schema, status, resolveBuiltin)
  fillConditionTimes(schema, status)
}

/** Lists of a status that are null while they are empty. */
const NULL_WHEN_EMPTY: Readonly<Record<string, string>> = {
  'io.k8s.api.autoscaling.v2.HorizontalPodAutoscaler': 'currentMetrics',
}

function fillNulls(name: string, object: StoredObject): void {
  const list = NULL_WHEN_EMPTY[name]
  const status = at(object, 'status')
  if (list !== undefined && isFields(status) && listAt(status, list).length === 0) status[list] = null
}

/** Times in conditions that are always written, be it as null; which of them a condition has differs by kind. */
const CONDITION_TIMES = ['lastProbeTime', 'lastHeartbeatTime', 'lastUpdateTime', 'lastTransitionTime']

function fillConditionTimes(schema: Schema, status: Fields): void {
  const conditions = listAt(status, 'conditions').filter(isFields)
  if (conditions.length === 0) return
  const { items } = resolveSchema(schema, resolveBuiltin).properties?.['conditions'] ?? {}
  const known = items === undefined ? undefined : resolveSchema(items, resolveBuiltin).properties
  const times = CONDITION_TIMES.filter((time) => known !== undefined && time in known)
  for (const condition of conditions) for (const time of times) setDefault(condition, time, null)
}

/** What is no quantity cannot even be decoded. @throws ApiError 400 */
function refuseQuantities({ apiVersion, kind }: StoredObject, findings: readonly FieldError[]): void {
  const [first] = findings
  if (first === undefined) return
  const version = apiVersion.slice(apiVersion.indexOf('/') + 1)
  throw badRequest(`${kind} in version "${version}" cannot be handled as a ${kind}: ${QUANTITY_RULE}`)
}
