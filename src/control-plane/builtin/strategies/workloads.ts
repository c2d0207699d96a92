/** Deployments, ReplicaSets, StatefulSets, DaemonSets and ReplicationControllers [k8s apps/v1]. */

import type { StoredObject, Strategy } from '../../registry/resource-definition.ts'
import { forbiddenError, invalidError, notSupportedError, requiredError } from '../../schema/field-error.ts'
import { cloneJson, equalJson } from '../../schema/json.ts'
import type { FieldError } from '../../schema/schema.ts'
import { at, ensureFields, type Fields, fieldsAt, isFields, listAt, numberAt, setDefault, textAt } from '../fields.ts'
import {
  dnsLabel,
  intOrPercent,
  isEmptySelector,
  isNothing,
  labelSelector,
  notNegative,
  oneOf,
  selectorMatches,
  unchanged,
} from './checks.ts'
import { defaultPodTemplate } from './pod-spec-defaults.ts'
import { validatePodTemplate } from './pod-spec-validation.ts'

const specOf = (object: StoredObject): Fields => ensureFields(object, 'spec')
const COUNTS = ['spec.replicas', 'spec.minReadySeconds', 'spec.revisionHistoryLimit', 'spec.progressDeadlineSeconds']

export const deploymentStrategy: Strategy = {
  defaults(deployment) {
    const spec = specOf(deployment)
    setDefault(spec, 'replicas', 1)
    setDefault(spec, 'revisionHistoryLimit', 10)
    setDefault(spec, 'progressDeadlineSeconds', 600)
    const strategy = ensureFields(spec, 'strategy')
    setDefault(strategy, 'type', 'RollingUpdate')
    if (strategy['type'] === 'RollingUpdate') {
      const rolling = ensureFields(strategy, 'rollingUpdate')
      setDefault(rolling, 'maxUnavailable', '25%')
      setDefault(rolling, 'maxSurge', '25%')
    }
    defaultPodTemplate(spec)
  },
  validate: (deployment) => [
    ...notNegative(deployment, COUNTS),
    ...validateTemplate(deployment, 'deployment'),
    ...validateDeploymentStrategy(at(deployment, 'spec.strategy')),
    ...validateProgressDeadline(deployment),
  ],
  validateUpdate: (deployment, old) => unchanged(deployment, old, ['spec.selector']),
}

function validateDeploymentStrategy(strategy: unknown): FieldError[] {
  const field = 'spec.strategy'
  const rolling = at(strategy, 'rollingUpdate')
  const type = textAt(strategy, 'type')
  if (type === 'Recreate') {
    if (rolling === undefined) return []
    return [forbiddenError(`${field}.rollingUpdate`, "may not be specified when strategy `type` is 'Recreate'")]
  }
  if (type !== 'RollingUpdate') return [notSupportedError(field, strategy, ['Recreate', 'RollingUpdate'])]
  const [unavailable, surge] = [at(rolling, 'maxUnavailable'), at(rolling, 'maxSurge')]
  return [
    ...intOrPercent(unavailable, `${field}.rollingUpdate.maxUnavailable`, true),
    ...intOrPercent(surge, `${field}.rollingUpdate.maxSurge`, false),
    ...(isNothing(unavailable) && isNothing(surge)
      ? [invalidError(`${field}.rollingUpdate.maxUnavailable`, unavailable, 'may not be 0 when `maxSurge` is 0')]
      : []),
  ]
}

function validateProgressDeadline(deployment: StoredObject): FieldError[] {
  const deadline = numberAt(deployment, 'spec.progressDeadlineSeconds', 600)
  if (deadline > numberAt(deployment, 'spec.minReadySeconds')) return []
  return [invalidError('spec.progressDeadlineSeconds', deadline, 'must be greater than minReadySeconds')]
}

/** Selector and template, and that the one selects what the other makes. */
function validateTemplate(object: StoredObject, kind: 'deployment' | 'statefulset' | 'daemonset'): FieldError[] {
  const template = at(object, 'spec.template')
  const selector = at(object, 'spec.selector')
  const malformed = labelSelector(selector, 'spec.selector')
  return [
    ...malformed,
    ...(isFields(selector) && isEmptySelector(selector)
      ? [invalidError('spec.selector', selector, `empty selector is invalid for ${kind}`)]
      : []),
    ...(malformed.length > 0
      ? [invalidError('spec.selector', selector, 'invalid label selector')]
      : validateMatch(selector, fieldsAt(template, 'metadata.labels'))),
    ...validatePodTemplate(template, 'spec.template'),
    ...validateLongRunning(template),
  ]
}

function validateMatch(selector: unknown, podLabels: Fields): FieldError[] {
  const isEmpty = isFields(selector) && isEmptySelector(selector)
  if (isEmpty || selectorMatches(selector, podLabels)) return []
  return [invalidError('spec.template.metadata.labels', podLabels, '`selector` does not match template `labels`')]
}

function validateLongRunning(template: unknown): FieldError[] {
  const policy = textAt(template, 'spec.restartPolicy')
  const errors = policy === 'Always' ? [] : [notSupportedError('spec.template.spec.restartPolicy', policy, ['Always'])]
  if (at(template, 'spec.activeDeadlineSeconds') === undefined) return errors
  const detail = 'activeDeadlineSeconds in ReplicaSet is not Supported'
  return [...errors, forbiddenError('spec.template.spec.activeDeadlineSeconds', detail)]
}

export const replicaSetStrategy: Strategy = {
  defaults(replicaSet) {
    setDefault(specOf(replicaSet), 'replicas', 1)
    defaultPodTemplate(specOf(replicaSet))
  },
  validate: (replicaSet) => [...notNegative(replicaSet, COUNTS), ...validateTemplate(replicaSet, 'deployment')],
  validateUpdate: (replicaSet, old) => unchanged(replicaSet, old, ['spec.selector']),
}

export const replicationControllerStrategy: Strategy = {
  defaults(controller) {
    const spec = specOf(controller)
    const labels = at(spec, 'template.metadata.labels')
    setDefault(spec, 'replicas', 1)
    if (isFields(labels)) {
      setDefault(spec, 'selector', { ...labels })
      controller.metadata.labels ??= { ...(labels as Record<string, string>) }
    }
    if (isFields(spec['template'])) defaultPodTemplate(spec)
  },
  validate(controller) {
    const template = at(controller, 'spec.template')
    const selector = fieldsAt(controller, 'spec.selector')
    const matches = selectorMatches({ matchLabels: selector }, at(template, 'metadata.labels'))
    return [
      ...notNegative(controller, COUNTS),
      ...(Object.keys(selector).length === 0 ? [requiredError('spec.selector')] : []),
      ...(isFields(template) ? validatePodTemplate(template, 'spec.template') : [requiredError('spec.template')]),
      ...(matches
        ? []
        : [
            invalidError(
              'spec.template.metadata.labels',
              at(template, 'metadata.labels') ?? {},
              '`selector` does not match template `labels`',
            ),
          ]),
    ]
  },
}

export const statefulSetStrategy: Strategy = {
  defaults(statefulSet) {
    const spec = specOf(statefulSet)
    setDefault(spec, 'podManagementPolicy', 'OrderedReady')
    setDefault(spec, 'replicas', 1)
    setDefault(spec, 'revisionHistoryLimit', 10)
    const strategy = ensureFields(spec, 'updateStrategy')
    if (at(strategy, 'type') === undefined) {
      strategy['type'] = 'RollingUpdate'
      ensureFields(strategy, 'rollingUpdate')
    }
    const rolling = at(strategy, 'rollingUpdate')
    if (isFields(rolling)) setDefault(rolling, 'partition', 0)
    const retention = ensureFields(spec, 'persistentVolumeClaimRetentionPolicy')
    setDefault(retention, 'whenDeleted', 'Retain')
    setDefault(retention, 'whenScaled', 'Retain')
    for (const claim of listAt(spec, 'volumeClaimTemplates').filter(isFields)) defaultClaim(claim)
    defaultPodTemplate(spec)
  },
  validate: (statefulSet) => [
    ...eitherOf(statefulSet, 'spec.podManagementPolicy', ['OrderedReady', 'Parallel']),
    ...oneOf(statefulSet, 'spec.updateStrategy.type', ['OnDelete', 'RollingUpdate']),
    ...notNegative(statefulSet, [...COUNTS, 'spec.ordinals.start', 'spec.updateStrategy.rollingUpdate.partition']),
    ...(textAt(statefulSet, 'spec.serviceName') === ''
      ? []
      : dnsLabel(textAt(statefulSet, 'spec.serviceName'), 'spec.serviceName')),
    ...validateTemplate(withClaimVolumes(statefulSet), 'statefulset'),
  ],
  validateUpdate: validateStatefulSetUpdate,
}

function eitherOf(object: StoredObject, path: string, [one, other]: readonly [string, string]): FieldError[] {
  const value = textAt(object, path)
  return value === one || value === other ? [] : [invalidError(path, value, `must be '${one}' or '${other}'`)]
}

/** A claim in a template is a whole object, as if it had been read by itself. */
function defaultClaim(claim: Fields): void {
  claim['apiVersion'] = 'v1'
  claim['kind'] = 'PersistentVolumeClaim'
  setDefault(ensureFields(claim, 'spec'), 'volumeMode', 'Filesystem')
  setDefault(ensureFields(claim, 'status'), 'phase', 'Pending')
}

/** Containers mount the volumes that the claim templates stand for. */
function withClaimVolumes(statefulSet: StoredObject): StoredObject {
  const claims = listAt(statefulSet, 'spec.volumeClaimTemplates')
  if (claims.length === 0) return statefulSet
  const copy = cloneJson(statefulSet)
  const spec = fieldsAt(copy, 'spec.template.spec')
  const names = claims.map((claim) => textAt(claim, 'metadata.name'))
  const others = listAt(spec, 'volumes').filter((volume) => !names.includes(textAt(volume, 'name')))
  spec['volumes'] = [...others, ...names.map((name) => ({ name, persistentVolumeClaim: { claimName: name } }))]
  return copy
}

const STATEFUL_SET_UPDATABLE = [
  'replicas',
  'ordinals',
  'template',
  'updateStrategy',
  'revisionHistoryLimit',
  'persistentVolumeClaimRetentionPolicy',
  'minReadySeconds',
]

function validateStatefulSetUpdate(statefulSet: StoredObject, old: StoredObject): FieldError[] {
  const fixed = (object: StoredObject): Fields =>
    Object.fromEntries(
      Object.entries(fieldsAt(object, 'spec')).filter(([name]) => !STATEFUL_SET_UPDATABLE.includes(name)),
    )
  if (equalJson(fixed(statefulSet), fixed(old))) return []
  const names = STATEFUL_SET_UPDATABLE.map((name) => `'${name}'`)
  const list = `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
  return [forbiddenError('spec', `updates to statefulset spec for fields other than ${list} are forbidden`)]
}

/** The generation of the pods' template, from before objects counted generations. */
const TEMPLATE_GENERATION = 'deprecated.daemonset.template.generation'

function countTemplate(daemonSet: StoredObject, generation: number): void {
  daemonSet.metadata.annotations = { ...daemonSet.metadata.annotations, [TEMPLATE_GENERATION]: String(generation) }
}

export const daemonSetStrategy: Strategy = {
  prepareForCreate: (daemonSet) => countTemplate(daemonSet, 1),
  prepareForUpdate(daemonSet, old) {
    const before = Number(old.metadata.annotations?.[TEMPLATE_GENERATION] ?? 1)
    const [next, previous] = [cloneJson(fieldsAt(daemonSet, 'spec')), fieldsAt(old, 'spec')]
    defaultPodTemplate(next)
    countTemplate(daemonSet, before + Number(!equalJson(next['template'], previous['template'])))
  },
  defaults(daemonSet) {
    const spec = specOf(daemonSet)
    setDefault(spec, 'revisionHistoryLimit', 10)
    const strategy = ensureFields(spec, 'updateStrategy')
    setDefault(strategy, 'type', 'RollingUpdate')
    if (strategy['type'] === 'RollingUpdate') {
      const rolling = ensureFields(strategy, 'rollingUpdate')
      setDefault(rolling, 'maxUnavailable', 1)
      setDefault(rolling, 'maxSurge', 0)
    }
    defaultPodTemplate(spec)
  },
  validate: (daemonSet) => [
    ...validateTemplate(daemonSet, 'daemonset'),
    ...notNegative(daemonSet, COUNTS),
    ...validateDaemonSetStrategy(at(daemonSet, 'spec.updateStrategy')),
  ],
  validateUpdate: (daemonSet, old) => unchanged(daemonSet, old, ['spec.selector']),
}

function validateDaemonSetStrategy(strategy: unknown): FieldError[] {
  const field = 'spec.updateStrategy'
  const type = textAt(strategy, 'type')
  if (type === 'OnDelete') return []
  if (type !== 'RollingUpdate') return [notSupportedError(field, strategy, ['RollingUpdate', 'OnDelete'])]
  const [unavailable, surge] = [at(strategy, 'rollingUpdate.maxUnavailable'), at(strategy, 'rollingUpdate.maxSurge')]
  const errors = [
    ...intOrPercent(unavailable, `${field}.rollingUpdate.maxUnavailable`, true),
    ...intOrPercent(surge, `${field}.rollingUpdate.maxSurge`, true),
  ]
  if (isNothing(unavailable) !== isNothing(surge)) return errors
  const conflict = isNothing(surge)
    ? requiredError(`${field}.rollingUpdate.maxUnavailable`, 'cannot be 0 when maxSurge is 0')
    : invalidError(`${field}.rollingUpdate.maxSurge`, surge, 'may not be set when maxUnavailable is non-zero')
  return [...errors, conflict]
}
