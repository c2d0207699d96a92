/** The Targets column of a HorizontalPodAutoscaler, of version 1 (CPU utilisation only) and version 2 (a list of metrics). */
import { at, listAt, textAt } from '../../builtin/fields.ts'
import type { StoredObject } from '../../registry/resource-definition.ts'
import { NONE } from '../column.ts'

const SHOWN = 2
const UNKNOWN = '<unknown>'

export function formatMetrics(hpa: StoredObject): string {
  const targets = hpa.apiVersion === 'autoscaling/v1' ? cpuTarget(hpa) : metricTargets(hpa)
  if (targets.length === 0) return NONE
  const shown = targets.slice(0, SHOWN).join(', ')
  return targets.length > SHOWN ? `${shown} + ${targets.length - SHOWN} more...` : shown
}

function cpuTarget(hpa: StoredObject): string[] {
  const target = at(hpa, 'spec.targetCPUUtilizationPercentage')
  const current = at(hpa, 'status.currentCPUUtilizationPercentage')
  return target === undefined ? [] : [`cpu: ${percent(current) ?? UNKNOWN}/${percent(target)}`]
}

function metricTargets(hpa: StoredObject): string[] {
  const statuses = listAt(hpa, 'status.currentMetrics')
  return listAt(hpa, 'spec.metrics').map((metric, index) => formatMetric(metric, statuses[index]))
}

function formatMetric(metric: unknown, status: unknown): string {
  const type = textAt(metric, 'type')
  const source = `${type.slice(0, 1).toLowerCase()}${type.slice(1)}`
  const target = at(metric, `${source}.target`)
  const current = at(status, `${source}.current`)
  if (type === 'Resource' || type === 'ContainerResource') {
    return `${textAt(metric, `${source}.name`)}: ${resourceTarget(target, current)}`
  }
  const average = at(target, 'averageValue')
  if (average === undefined) return `${quantity(at(current, 'value'))}/${quantity(at(target, 'value'))}`
  return `${quantity(at(current, 'averageValue'))}/${quantity(average)}${type === 'Pods' ? '' : ' (avg)'}`
}

function resourceTarget(target: unknown, current: unknown): string {
  const average = at(target, 'averageValue')
  if (average !== undefined) return `${quantity(at(current, 'averageValue'))}/${quantity(average)}`
  return `${percent(at(current, 'averageUtilization')) ?? UNKNOWN}/${percent(at(target, 'averageUtilization')) ?? '<auto>'}`
}

const percent = (value: unknown): string | undefined => (typeof value === 'number' ? `${value}%` : undefined)
const quantity = (value: unknown): string => (value === undefined || value === null ? UNKNOWN : String(value))
