import { expect, it } from 'vitest'
import { withNodeOperationDefaults } from '../../api/v1alpha1/defaults.ts'
import type { NodeOperationStatus } from '../../api/v1alpha1/node-operation.ts'
import { operationView } from './operation-view.ts'

const SINCE = '2026-01-01T00:00:00Z'
const NOW = Date.parse(SINCE)
const at = (name: string, step: 'Verifying' | 'Failed' | 'Skipped') => ({ name, group: 'workers', step, since: SINCE })
const view = (status: NodeOperationStatus, now = NOW) =>
  operationView(
    withNodeOperationDefaults({
      metadata: { name: 'r', namespace: 'n', uid: 'u' },
      spec: { type: 'Rollout', clusterRef: { name: 'prod' } },
      status,
    }),
    now,
  )
const nodes = [at('a', 'Verifying'), at('b', 'Failed'), at('c', 'Skipped')]

it('of a run that has succeeded names no node that it was working on when it was seen last', () => {
  expect(view({ phase: 'Succeeded', nodes }).nodes.map(({ name }) => name)).toEqual(['b', 'c'])
  for (const phase of ['Running', 'Failed', 'Cancelled'] as const) expect(view({ phase, nodes }).nodes).toHaveLength(3)
})

it('says how long it will still take, and never less than nothing', () => {
  const eta = '2026-01-01T00:01:00Z'
  expect(view({ phase: 'Running', eta })).toMatchObject({ eta, etaMs: 60_000 })
  expect(view({ phase: 'Running', eta }, NOW + 120_000)).toMatchObject({ etaMs: 0 })
  expect(view({ phase: 'Running' })).not.toHaveProperty('etaMs')
})

it('has the last error of a run that failed only', () => {
  const message = 'DrainFailed: worker-1: budget web'
  expect(view({ phase: 'Failed', message })).toMatchObject({ lastError: message, ended: true })
  expect(view({ phase: 'Running', message })).not.toHaveProperty('lastError')
  expect(view({})).toMatchObject({ phase: 'Pending', ended: false, nodes: [] })
})
