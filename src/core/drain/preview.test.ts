import { expect, test } from 'vitest'
import { podOf } from '../../../test/support/drain-grid.ts'
import { DEFAULT_DRAIN_POLICY, type DisruptionBudget } from './model.ts'
import { type PreviewInput, previewDrain } from './preview.ts'
import type { RoomNode, RoomPod } from './room.ts'

const node = (name: string, spec: RoomNode['spec'] = {}, cpu = '4'): RoomNode => ({
  metadata: { name, labels: { disk: name === 'n2' ? 'ssd' : 'hdd' } },
  spec,
  status: { allocatable: { cpu, memory: '8Gi', pods: '10' }, conditions: [{ type: 'Ready', status: 'True' }] },
})

const sized = (name: string, cpu: string, more: object = {}): RoomPod => {
  const pod = podOf('managed', name, name)
  return { ...pod, spec: { ...pod.spec, containers: [{ resources: { requests: { cpu } } }], ...more } }
}

const budget = (name: string, status: DisruptionBudget['status']): DisruptionBudget => ({
  metadata: { namespace: 'default', name, generation: 1 },
  spec: { selector: { matchLabels: { app: 'app' } } },
  status: { observedGeneration: 1, ...status },
})

const preview = (changes: Partial<PreviewInput>) =>
  previewDrain(
    {
      nodes: ['n1'],
      allNodes: [node('n1'), node('n2')],
      pods: [],
      budgets: [],
      daemonSets: new Set(['default/agent']),
      policy: DEFAULT_DRAIN_POLICY,
      ...changes,
    },
    0,
  )

test('counts what goes and what stays', () => {
  const pods = [podOf('managed', 'a', 'a'), podOf('daemon', 'b', 'b'), podOf('mirror', 'c', 'c')]
  expect(preview({ pods })).toMatchObject([{ node: 'n1', evicts: [pods[0]], stays: 2, findings: [] }])
})

test.each([
  [
    'a budget that wants all of its pods never allows it',
    [{ disruptionsAllowed: 0, expectedPods: 1, desiredHealthy: 1 }],
    'ZeroBudget',
    true,
  ],
  [
    'a budget whose pods are not all healthy allows none now',
    [{ disruptionsAllowed: 0, expectedPods: 3, desiredHealthy: 2 }],
    'ClosedBudget',
    false,
  ],
  ['two budgets on one pod', [{ disruptionsAllowed: 1 }, { disruptionsAllowed: 1 }], 'SeveralBudgets', true],
])('%s', (_, statuses, kind, blocks) => {
  const budgets = statuses.map((status, index) => budget(`b${index}`, status))
  const [found] = preview({ pods: [podOf('managed', 'a', 'a')], budgets })
  expect(found?.findings).toMatchObject([
    { kind, blocks, pods: ['default/a'], budgets: budgets.map(({ metadata }) => `default/${metadata.name}`) },
  ])
})

test('a budget that allows it is no finding, nor one that was not looked at yet', () => {
  const pods = [podOf('managed', 'a', 'a')]
  expect(preview({ pods, budgets: [budget('b', { disruptionsAllowed: 1 })] })[0]?.findings).toEqual([])
  expect(preview({ pods, budgets: [budget('b', { observedGeneration: 0 })] })[0]?.findings).toEqual([])
})

test('emptyDir data is told, and blocks only when it must be kept; with Force nothing blocks', () => {
  const pods = [podOf('emptyDir', 'a', 'a'), podOf('unmanaged', 'b', 'b')]
  const of = (policy: object) =>
    preview({ pods, policy: { ...DEFAULT_DRAIN_POLICY, ...policy } })[0]?.findings.map(
      ({ kind, blocks }) => `${kind} ${blocks}`,
    )
  expect(of({})).toEqual(['Unmanaged true', 'EmptyDir false'])
  expect(of({ deleteEmptyDirData: false })).toEqual(['EmptyDir true', 'Unmanaged true'])
  expect(of({ onTimeout: 'Force' })).toEqual(['Unmanaged false', 'EmptyDir false'])
})

test('pods that would find no room are told: size, selector, taints and cordons count', () => {
  const pods = [
    sized('fits', '1'),
    sized('large', '3.5'),
    sized('picky', '100m', { nodeSelector: { disk: 'hdd' } }),
    { ...sized('there', '500m'), spec: { ...sized('there', '500m').spec, nodeName: 'n2' } },
  ]
  expect(preview({ pods })[0]?.findings).toMatchObject([{ kind: 'NoRoom', pods: ['default/fits', 'default/picky'] }])
  const tainted = [node('n1'), node('n2', { taints: [{ key: 'k', effect: 'NoSchedule' }] })]
  const tolerant = sized('tolerant', '1', { tolerations: [{ operator: 'Exists' }] })
  expect(preview({ pods: [sized('a', '1'), tolerant], allNodes: tainted })[0]?.findings).toMatchObject([
    { pods: ['default/a'] },
  ])
  const cordoned = [node('n1'), node('n2', { unschedulable: true })]
  expect(preview({ pods: [sized('a', '1')], allNodes: cordoned })[0]?.findings).toMatchObject([{ kind: 'NoRoom' }])
})
