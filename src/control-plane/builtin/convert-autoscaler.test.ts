import { expect, test } from 'vitest'
import type { StoredObject } from '../registry/resource-definition.ts'
import { autoscalerFromStorage, autoscalerToStorage } from './convert-autoscaler.ts'
import { builtinResources } from './index.ts'

const metadata = { name: 'a', uid: 'u', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' }
const cpu = { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 70 } } }
const pods = { type: 'Pods', pods: { metric: { name: 'q' }, target: { type: 'AverageValue', averageValue: '5' } } }

const autoscaler: StoredObject = {
  apiVersion: 'autoscaling/v2',
  kind: 'HorizontalPodAutoscaler',
  metadata: { ...metadata, annotations: { mine: 'x' } },
  spec: {
    scaleTargetRef: { kind: 'Deployment', name: 'd' },
    maxReplicas: 3,
    metrics: [cpu, pods],
    behavior: { scaleDown: {} },
  },
  status: {
    desiredReplicas: 1,
    currentReplicas: 1,
    currentMetrics: [{ type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: 30 } } }],
    conditions: [{ type: 'AbleToScale', status: 'True' }],
  },
}

test('version 1 of an autoscaler shows CPU utilisation as fields and keeps the rest in annotations', () => {
  const shown = autoscalerFromStorage(autoscaler)
  expect(shown['spec']).toEqual({
    scaleTargetRef: { kind: 'Deployment', name: 'd' },
    maxReplicas: 3,
    targetCPUUtilizationPercentage: 70,
  })
  expect(shown['status']).toEqual({ desiredReplicas: 1, currentReplicas: 1, currentCPUUtilizationPercentage: 30 })
  expect(JSON.parse(shown.metadata.annotations!['autoscaling.alpha.kubernetes.io/metrics']!)).toEqual([pods])
})

test('an autoscaler that goes through version 1 loses nothing', () => {
  expect(autoscalerToStorage(autoscalerFromStorage(autoscaler))).toEqual(autoscaler)
})

test('version 1 of autoscalers says how to convert, and nothing else does', () => {
  const converting = builtinResources().filter(({ conversion }) => conversion !== undefined)
  expect(converting.map(({ group, version, kind }) => `${group}/${version}/${kind}`)).toEqual([
    'autoscaling/v1/HorizontalPodAutoscaler',
  ])
})
