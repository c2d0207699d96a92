/**
 * HorizontalPodAutoscalers are stored in version 2. Version 1 knows CPU utilisation only; what it has no field for goes
 * into annotations as JSON, so that a write through version 1 loses nothing [k8s autoscaling/v1 conversion].
 */
import type { StoredObject } from '../registry/resource-definition.ts'
import { at, type Fields, fieldsAt, isFields, listAt, textAt } from './fields.ts'

const PREFIX = 'autoscaling.alpha.kubernetes.io/'
const METRICS = `${PREFIX}metrics`
const BEHAVIOR = `${PREFIX}behavior`
const CURRENT_METRICS = `${PREFIX}current-metrics`
const CONDITIONS = `${PREFIX}conditions`

const isCpu = (metric: unknown, half: 'target' | 'current'): boolean =>
  textAt(metric, 'type') === 'Resource' &&
  textAt(metric, 'resource.name') === 'cpu' &&
  at(metric, `resource.${half}.averageUtilization`) !== undefined

/** A stored (version 2) autoscaler as version 1 shows it. */
export function autoscalerFromStorage(object: StoredObject): StoredObject {
  const { metrics: _metrics, behavior, ...spec } = fieldsAt(object, 'spec')
  const { currentMetrics: _current, conditions, ...status } = fieldsAt(object, 'status')
  const metrics = listAt(object, 'spec.metrics')
  const current = listAt(object, 'status.currentMetrics')
  const cpu = metrics.find((metric) => isCpu(metric, 'target'))
  const currentCpu = current.find((metric) => isCpu(metric, 'current'))
  return {
    ...object,
    apiVersion: 'autoscaling/v1',
    metadata: withAnnotations(object, {
      [METRICS]: metrics.filter((metric) => metric !== cpu),
      [BEHAVIOR]: behavior,
      [CURRENT_METRICS]: current.filter((metric) => metric !== currentCpu),
      [CONDITIONS]: conditions,
    }),
    spec: { ...spec, ...optional('targetCPUUtilizationPercentage', at(cpu, 'resource.target.averageUtilization')) },
    status: {
      currentReplicas: 0,
      ...status,
      ...optional('currentCPUUtilizationPercentage', at(currentCpu, 'resource.current.averageUtilization')),
    },
  }
}

/** An autoscaler of version 1 in the form that is stored. */
export function autoscalerToStorage(object: StoredObject): StoredObject {
  const { targetCPUUtilizationPercentage: target, ...spec } = fieldsAt(object, 'spec')
  const { currentCPUUtilizationPercentage: current, ...status } = fieldsAt(object, 'status')
  const metrics = [...cpuMetric('target', target), ...asList(readAnnotation(object, METRICS))]
  const currentMetrics = [...cpuMetric('current', current), ...asList(readAnnotation(object, CURRENT_METRICS))]
  return {
    ...object,
    apiVersion: 'autoscaling/v2',
    metadata: withAnnotations(object, {}),
    spec: {
      ...spec,
      ...(metrics.length > 0 && { metrics }),
      ...optional('behavior', readAnnotation(object, BEHAVIOR)),
    },
    status: {
      ...status,
      ...(currentMetrics.length > 0 && { currentMetrics }),
      ...optional('conditions', readAnnotation(object, CONDITIONS)),
    },
  }
}

function cpuMetric(half: 'target' | 'current', averageUtilization: unknown): unknown[] {
  if (averageUtilization === undefined) return []
  const value = half === 'target' ? { type: 'Utilization', averageUtilization } : { averageUtilization }
  return [{ type: 'Resource', resource: { name: 'cpu', [half]: value } }]
}

const optional = (name: string, value: unknown): Fields => (value === undefined ? {} : { [name]: value })
const asList = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

/** The metadata with these annotations in place of all of ours; empty values are none. */
function withAnnotations({ metadata }: StoredObject, values: Fields): StoredObject['metadata'] {
  const { annotations, ...rest } = metadata
  const others = Object.entries(annotations ?? {}).filter(
    ([name]) => ![METRICS, BEHAVIOR, CURRENT_METRICS, CONDITIONS].includes(name),
  )
  const own = Object.entries(values).filter(([, value]) => (Array.isArray(value) ? value.length > 0 : isFields(value)))
  const entries = [...others, ...own.map(([name, value]) => [name, JSON.stringify(value)])]
  return entries.length === 0 ? rest : { ...rest, annotations: Object.fromEntries(entries) }
}

/** Undefined when there is none, or when it is not JSON: then it was not written by this conversion. */
function readAnnotation({ metadata }: StoredObject, name: string): unknown {
  const text = metadata.annotations?.[name]
  if (text === undefined) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
