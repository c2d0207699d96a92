/** Pods: defaults, what admission adds, the first status, and what of a running pod may change [k8s core/pod]. */

import type { StoredObject, Strategy } from '../../registry/resource-definition.ts'
import { forbiddenError, invalidError } from '../../schema/field-error.ts'
import { cloneJson, equalJson } from '../../schema/json.ts'
import type { FieldError } from '../../schema/schema.ts'
import { at, ensureFields, type Fields, fieldsAt, isFields, listAt, setDefault, textAt } from '../fields.ts'
import { admitPriority, type PriorityClasses } from '../priority-classes.ts'
import { containersOf, defaultPodSpec } from './pod-spec-defaults.ts'
import { validatePodSpec } from './pod-spec-validation.ts'
import { qosClass } from './qos-class.ts'

export function createPodStrategy(classes: PriorityClasses): Strategy {
  return {
    ...podStrategy,
    prepareForCreate(pod) {
      admitPriority(pod, classes)
      podStrategy.prepareForCreate?.(pod)
    },
  }
}

const podStrategy: Strategy = {
  prepareForCreate(pod) {
    admit(ensureFields(pod, 'spec'))
    completeRequests(fieldsAt(pod, 'spec'))
    pod['status'] = { phase: 'Pending', qosClass: qosClass(pod) }
  },
  prepareForUpdate: (pod) => admitTolerations(ensureFields(pod, 'spec')),
  defaults(pod) {
    const spec = ensureFields(pod, 'spec')
    completeRequests(spec)
    defaultPodSpec(spec)
    setDefault(spec, 'enableServiceLinks', true)
  },
  validate: (pod) => validatePodSpec(at(pod, 'spec'), 'spec'),
  validateUpdate: validatePodUpdate,
}

/** A limit without a request is its request too; in pods, not in templates. */
function completeRequests(spec: Fields): void {
  for (const container of containersOf(spec)) {
    const limits = at(container, 'resources.limits')
    if (!isFields(limits)) continue
    const requests = ensureFields(fieldsAt(container, 'resources'), 'requests')
    for (const [name, limit] of Object.entries(limits)) setDefault(requests, name, limit)
  }
}

/** What the admission plugins ServiceAccount and DefaultTolerationSeconds do, which are on by default. */
function admit(spec: Fields): void {
  setDefault(spec, 'serviceAccountName', textAt(spec, 'serviceAccount', 'default'))
  admitTolerations(spec)
}

const NODE_TROUBLE = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable']

/** A pod stays five minutes on a node that is not ready, unless it says otherwise. */
function admitTolerations(spec: Fields): void {
  const tolerations = listAt(spec, 'tolerations')
  const missing = NODE_TROUBLE.filter((key) => !tolerations.some((toleration) => covers(toleration, key)))
  if (missing.length === 0) return
  const added = missing.map((key) => ({ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 }))
  spec['tolerations'] = [...tolerations, ...added]
}

function covers(toleration: unknown, key: string): boolean {
  const own = textAt(toleration, 'key')
  const effect = textAt(toleration, 'effect')
  return (own === key || own === '') && (effect === 'NoExecute' || effect === '')
}

const UPDATABLE = [
  '`spec.containers[*].image`',
  '`spec.initContainers[*].image`',
  '`spec.activeDeadlineSeconds`',
  '`spec.tolerations` (only additions to existing tolerations)',
  '`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)',
]

function validatePodUpdate(pod: StoredObject, old: StoredObject): FieldError[] {
  const [next, previous] = [fieldsAt(pod, 'spec'), fieldsAt(old, 'spec')]
  if (equalJson(next, previous)) return []
  for (const list of ['containers', 'initContainers']) {
    if (listAt(next, list).length !== listAt(previous, list).length) {
      return [forbiddenError(`spec.${list}`, 'pod updates may not add or remove containers')]
    }
  }
  const errors = [...checkDeadline(next, previous), ...checkTolerations(next, previous), ...checkGates(next, previous)]
  if (equalJson(withOldUpdatables(next, previous), previous)) return errors
  return [...errors, forbiddenError('spec', `pod updates may not change fields other than ${UPDATABLE.join(',')}\n`)]
}

/** The new spec with all that may change set back; what still differs may not. */
function withOldUpdatables(next: Fields, previous: Fields): Fields {
  const spec = cloneJson(next)
  for (const list of ['containers', 'initContainers']) {
    const before = listAt(previous, list)
    for (const [index, container] of listAt(spec, list).entries()) {
      if (isFields(container)) restore(container, before[index], ['image'])
    }
  }
  restore(spec, previous, ['activeDeadlineSeconds', 'tolerations', 'schedulingGates', ...whileGated(previous)])
  const [grace, before] = [spec['terminationGracePeriodSeconds'], previous['terminationGracePeriodSeconds']]
  if (grace === 1 && typeof before === 'number' && before < 0) spec['terminationGracePeriodSeconds'] = before
  return spec
}

/** A pod that is held back may still be directed to other nodes. */
function whileGated(previous: Fields): string[] {
  return listAt(previous, 'schedulingGates').length > 0 ? ['nodeSelector', 'affinity'] : []
}

function restore(target: Fields, source: unknown, names: readonly string[]): void {
  for (const name of names) {
    const value = at(source, name)
    if (value === undefined) delete target[name]
    else target[name] = value
  }
}

function checkDeadline(next: Fields, previous: Fields): FieldError[] {
  const field = 'spec.activeDeadlineSeconds'
  const [after, before] = [next['activeDeadlineSeconds'], previous['activeDeadlineSeconds']]
  if (typeof before !== 'number' || after === before) return []
  if (typeof after !== 'number')
    return [invalidError(field, null, 'must not update from a positive integer to nil value')]
  return after > before ? [invalidError(field, after, 'must be less than or equal to previous value')] : []
}

function checkTolerations(next: Fields, previous: Fields): FieldError[] {
  const after = listAt(next, 'tolerations')
  const kept = listAt(previous, 'tolerations').every((toleration) =>
    after.some((other) => sameToleration(other, toleration)),
  )
  return kept
    ? []
    : [forbiddenError('spec.tolerations', 'existing toleration can not be modified except its tolerationSeconds')]
}

function sameToleration(left: unknown, right: unknown): boolean {
  const strip = (toleration: unknown): Fields => ({ ...(toleration as Fields), tolerationSeconds: undefined })
  return equalJson(strip(left), strip(right))
}

function checkGates(next: Fields, previous: Fields): FieldError[] {
  const before = new Set(listAt(previous, 'schedulingGates').map((gate) => textAt(gate, 'name')))
  const added = listAt(next, 'schedulingGates').filter((gate) => !before.has(textAt(gate, 'name')))
  if (added.length === 0) return []
  const names = added.map((gate) => textAt(gate, 'name')).join(',')
  return [forbiddenError('spec.schedulingGates', `only deletion is allowed, but found new scheduling gates '${names}'`)]
}
