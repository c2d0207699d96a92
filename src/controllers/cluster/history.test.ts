import { expect, test } from 'vitest'
import { withNodeOperationDefaults } from '../../api/v1alpha1/defaults.ts'
import type { NodeOperation } from '../../api/v1alpha1/node-operation.ts'
import { HISTORY_LIMIT, outdated } from './history.ts'

const operation = (n: number, phase: 'Succeeded' | 'Running', finalizers: string[] = []): NodeOperation =>
  withNodeOperationDefaults({
    metadata: { name: `o${n}`, namespace: 'n', finalizers },
    spec: { type: 'Rollout', clusterRef: { name: 'prod' } },
    status: { phase, finishedAt: `2030-01-01T00:00:${String(n).padStart(2, '0')}Z` },
  })

test('ten operations that have ended are kept, the newest; those that run or hold something are never touched', () => {
  const ended = Array.from({ length: HISTORY_LIMIT + 2 }, (_, n) => operation(n, 'Succeeded'))
  const others = [operation(50, 'Running'), operation(0, 'Succeeded', ['held'])]
  expect(outdated([...others, ...ended]).map(({ metadata }) => metadata.name)).toEqual(['o1', 'o0'])
  expect(outdated(ended.slice(2))).toEqual([])
})
