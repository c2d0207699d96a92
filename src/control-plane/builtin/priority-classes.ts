/** The priority that a pod gets from its class, as the admission plugin Priority gives it `[k8s]`. */
import { forbidden } from '../errors.ts'
import type { StoredObject } from '../registry/resource-definition.ts'
import { ensureFields, setDefault, textAt } from './fields.ts'

export interface PriorityOfClass {
  readonly name: string
  readonly value: number
  readonly preemptionPolicy: string
}

export interface PriorityClasses {
  find(name: string): PriorityOfClass | undefined
  /** What pods get that name none. */
  globalDefault(): PriorityOfClass | undefined
}

export const NO_CLASSES: PriorityClasses = { find: () => undefined, globalDefault: () => undefined }

const SYSTEM: Readonly<Record<string, number>> = {
  'system-cluster-critical': 2_000_000_000,
  'system-node-critical': 2_000_001_000,
}

const PLAIN: PriorityOfClass = { name: '', value: 0, preemptionPolicy: 'PreemptLowerPriority' }

/** @throws ApiError 403 for a class that does not exist */
export function admitPriority(pod: StoredObject, classes: PriorityClasses): void {
  const spec = ensureFields(pod, 'spec')
  const name = textAt(spec, 'priorityClassName')
  const found = name === '' ? (classes.globalDefault() ?? PLAIN) : (systemClass(name) ?? classes.find(name))
  if (found === undefined) {
    throw forbidden({ group: '', plural: 'pods' }, pod.metadata.name, `no PriorityClass with name ${name} was found`)
  }
  if (found.name !== '') spec['priorityClassName'] = found.name
  setDefault(spec, 'priority', found.value)
  setDefault(spec, 'preemptionPolicy', found.preemptionPolicy)
}

function systemClass(name: string): PriorityOfClass | undefined {
  const value = SYSTEM[name]
  return value === undefined ? undefined : { ...PLAIN, name, value }
}
