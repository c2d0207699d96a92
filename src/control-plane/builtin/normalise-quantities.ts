/** Brings every quantity of a built-in object into canonical form, in place, guided by its schema. */
import { invalidError } from '../schema/field-error.ts'
import type { FieldError, Schema } from '../schema/schema.ts'
import { isFields } from './fields.ts'
import { canonicalQuantity, QUANTITY_RULE } from './quantity.ts'
import { publishedSchema, REF_PREFIX } from './schemas.ts'

/** Where quantities are below a value: it is one itself, or they are in some fields, or in all items or entries. */
interface Plan {
  isQuantity?: boolean
  readonly fields: Map<string, Plan>
  elements?: Plan
}

const QUANTITY_REF = `${REF_PREFIX}io.k8s.apimachinery.pkg.api.resource.Quantity`
const plans = new Map<string, Plan | undefined>()

/** `name` is the object's definition. Answers a finding for each text that is no quantity; those are left as they are. */
export function normaliseQuantities(name: string, object: Record<string, unknown>): FieldError[] {
  const plan = planOf(`${REF_PREFIX}${name}`)
  const findings: FieldError[] = []
  if (plan !== undefined) walkFields(plan, object, '', findings)
  return findings
}

/** Undefined when no quantity can be below. A definition that contains itself is planned once and reused. */
function planOf(ref: string): Plan | undefined {
  if (plans.has(ref)) return plans.get(ref)
  if (!reachesQuantity({ $ref: ref }, new Set())) {
    plans.set(ref, undefined)
    return undefined
  }
  const plan: Plan = { fields: new Map() }
  plans.set(ref, plan)
  if (ref === QUANTITY_REF) plan.isQuantity = true
  else fillPlan(plan, schemaOf(ref))
  return plan
}

const schemaOf = (ref: string): Schema => publishedSchema(ref.slice(REF_PREFIX.length)) ?? {}

function reachesQuantity(schema: Schema, visited: Set<string>): boolean {
  const { $ref, items, additionalProperties, properties = {} } = schema
  if ($ref === QUANTITY_REF) return true
  if ($ref !== undefined) {
    if (visited.has($ref)) return false
    visited.add($ref)
    return reachesQuantity(schemaOf($ref), visited)
  }
  const elements = [items, additionalProperties, ...Object.values(properties)]
  return elements.some((element) => typeof element === 'object' && reachesQuantity(element, visited))
}

function fillPlan(plan: Plan, schema: Schema): void {
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const inner = planOfSchema(property)
    if (inner !== undefined) plan.fields.set(name, inner)
  }
}

function planOfSchema({ $ref, items, additionalProperties }: Schema): Plan | undefined {
  if ($ref !== undefined) return planOf($ref)
  const element = items ?? (typeof additionalProperties === 'object' ? additionalProperties : undefined)
  const elements = element && planOfSchema(element)
  return elements && { fields: new Map(), elements }
}

function walkFields(plan: Plan, object: Record<string, unknown>, path: string, findings: FieldError[]): void {
  for (const [name, inner] of plan.fields) {
    if (object[name] !== undefined)
      object[name] = walk(inner, object[name], path === '' ? name : `${path}.${name}`, findings)
  }
}

function walk(plan: Plan, value: unknown, path: string, findings: FieldError[]): unknown {
  if (plan.isQuantity) return normalise(value, path, findings)
  const { elements } = plan
  if (Array.isArray(value))
    return elements ? value.map((item, index) => walk(elements, item, `${path}[${index}]`, findings)) : value
  if (!isFields(value)) return value
  if (elements === undefined) walkFields(plan, value, path, findings)
  else for (const key of Object.keys(value)) value[key] = walk(elements, value[key], `${path}[${key}]`, findings)
  return value
}

function normalise(value: unknown, path: string, findings: FieldError[]): unknown {
  if (typeof value !== 'string' && typeof value !== 'number') return value
  const canonical = canonicalQuantity(value)
  if (canonical === undefined) findings.push(invalidError(path, value, QUANTITY_RULE))
  return canonical ?? value
}
