import { describe, expect, it } from 'vitest'
import type { Affinity, Pod, PodSpec } from '../kinds.ts'
import { REPLICA_SETS } from '../kinds.ts'
import { conditionIn, meta, NOW, node, pod, summary } from '../testing/objects.ts'
import type { NodeLoad } from './filters.ts'
import { planBinding } from './plan-binding.ts'

const OWNER = [REPLICA_SETS, { metadata: meta('rs') }] as const

function waiting(spec: Partial<PodSpec> = {}): Pod {
  return pod('p', { node: '', phase: 'Pending', owner: OWNER, spec })
}

const requests = (cpu: string) => ({ containers: [{ name: 'main', resources: { requests: { cpu } } }] })
const on = (name: string, input: Parameters<typeof node>[1] = {}, pods: Pod[] = []): NodeLoad => ({
  node: node(name, input),
  pods,
})
const plan = (subject: Pod, ...nodes: NodeLoad[]) => planBinding({ pod: subject, nodes }, NOW)

function messageOf(subject: Pod, ...nodes: NodeLoad[]): string {
  return plan(subject, ...nodes).notes[0]?.message ?? ''
}

const affinity = (kind: 'podAffinity' | 'podAntiAffinity', app: string): Affinity => ({
  [kind]: {
    requiredDuringSchedulingIgnoredDuringExecution: [
      { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: { app } } },
    ],
  },
})
const zoned = (values: string[]): Affinity => ({
  nodeAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: {
      nodeSelectorTerms: [{ matchExpressions: [{ key: 'zone', operator: 'In', values }] }],
    },
  },
})
const spread = {
  topologySpreadConstraints: [
    {
      maxSkew: 1,
      topologyKey: 'kubernetes.io/hostname',
      whenUnsatisfiable: 'DoNotSchedule',
      labelSelector: { matchLabels: { app: 'x' } },
    },
  ],
}

describe('the scheduler', () => {
  const refusals: Array<[string, Pod, NodeLoad, string]> = [
    ['cordoned', waiting(), on('n1', { spec: { unschedulable: true } }), 'node(s) were unschedulable'],
    ['not ready', waiting(), on('n1', { ready: 'False' }), 'node(s) were not ready'],
    [
      'tainted',
      waiting(),
      on('n1', { spec: { taints: [{ key: 'gpu', value: 'yes', effect: 'NoSchedule' }] } }),
      'node(s) had untolerated taint {gpu: yes}',
    ],
    [
      'without the label',
      waiting({ nodeSelector: { disk: 'ssd' } }),
      on('n1'),
      "node(s) didn't match Pod's node affinity/selector",
    ],
    [
      'outside the affinity',
      waiting({ affinity: zoned(['a']) }),
      on('n1', { labels: { zone: 'b' } }),
      "node(s) didn't match Pod's node affinity/selector",
    ],
    ['too small', waiting(requests('5')), on('n1'), 'Insufficient cpu'],
    ['full', waiting(requests('3')), on('n1', {}, [pod('a', { spec: requests('1500m') })]), 'Insufficient cpu'],
    ['crowded', waiting(), on('n1', { allocatable: { pods: '1' } }, [pod('a')]), 'Too many pods'],
    [
      'kept apart from',
      waiting({ affinity: affinity('podAntiAffinity', 'x') }),
      on('n1', {}, [pod('a')]),
      "node(s) didn't match pod anti-affinity rules",
    ],
    [
      'avoiding it',
      waiting(),
      on('n1', {}, [pod('a', { spec: { affinity: affinity('podAntiAffinity', 'x') } })]),
      "node(s) didn't satisfy existing pods anti-affinity rules",
    ],
    [
      'without its company',
      waiting({ affinity: affinity('podAffinity', 'y') }),
      on('n1', {}, [pod('a')]),
      "node(s) didn't match pod affinity rules",
    ],
  ]
  it.each(refusals)('a node that is %s is no place', (_, subject, load, reason) => {
    const seen = plan(subject, load)
    const preemption = 'preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.'
    expect(seen.notes[0]).toMatchObject({
      type: 'Warning',
      reason: 'FailedScheduling',
      message: `0/1 nodes are available: 1 ${reason}. ${preemption}`,
    })
    expect(summary(seen)).toEqual(['status Pod p'])
  })

  const placements: Array<[string, Pod, NodeLoad[], string]> = [
    [
      'the one with fewest siblings',
      waiting(),
      [on('n1', {}, [pod('a', { owner: OWNER })]), on('n2', {}, [pod('b')])],
      'n2',
    ],
    ['the one with most room', waiting(), [on('n1', {}, [pod('a', { spec: requests('3') })]), on('n2')], 'n2'],
    ['the first by name', waiting(), [on('n2'), on('n1')], 'n1'],
    [
      'one that is not to be avoided',
      waiting(),
      [
        on('n1', { spec: { taints: [{ key: 'old', effect: 'PreferNoSchedule' }] } }),
        on('n2', {}, [pod('a'), pod('b')]),
      ],
      'n2',
    ],
    [
      'one whose taint it tolerates',
      waiting({ tolerations: [{ key: 'gpu', operator: 'Exists' }] }),
      [on('n1', { spec: { taints: [{ key: 'gpu', effect: 'NoSchedule' }] } })],
      'n1',
    ],
    [
      'a cordoned one for a daemon',
      waiting({ tolerations: [{ key: 'node.kubernetes.io/unschedulable', operator: 'Exists' }] }),
      [on('n1', { spec: { unschedulable: true } })],
      'n1',
    ],
    [
      'beside its company',
      waiting({ affinity: affinity('podAffinity', 'y') }),
      [on('n1'), on('n2', {}, [pod('a', { labels: { app: 'y' } })])],
      'n2',
    ],
    ['anywhere, the first of a company', waiting({ affinity: affinity('podAffinity', 'x') }), [on('n1')], 'n1'],
    [
      'where the spread allows',
      waiting(spread),
      [on('n1', {}, [pod('a')]), on('n2', {}, [pod('c', { labels: { app: 'z' } })])],
      'n2',
    ],
  ]
  it.each(placements)('a pod goes to %s', (_, subject, nodes, name) => {
    const seen = plan(subject, ...nodes)
    expect(summary(seen)).toEqual([`bind p to ${name}`])
    expect(seen.notes[0]).toMatchObject({ reason: 'Scheduled', message: `Successfully assigned default/p to ${name}` })
  })

  it('counts each reason over all nodes, in order', () => {
    const closed = { spec: { unschedulable: true } }
    expect(messageOf(waiting(requests('5')), on('n1', closed), on('n2'), on('n3'))).toMatch(
      /^0\/3 nodes are available: 1 node\(s\) were unschedulable, 2 Insufficient cpu\. preemption: /,
    )
    expect(messageOf(waiting())).toBe('no nodes available to schedule pods')
  })

  it('says the same thing once', () => {
    const first = plan(waiting(requests('5')), on('n1'))
    const [action] = first.actions
    const status = action?.kind === 'PatchStatus' ? action.status : undefined
    expect(conditionIn(status, 'PodScheduled')).toMatchObject({ status: 'False', reason: 'Unschedulable' })
    const again = { ...waiting(requests('5')), status: status as Pod['status'] } as Pod
    expect(plan(again, on('n1'))).toEqual({ actions: [], notes: [] })
  })

  const others: Array<[string, Pod]> = [
    ['of another scheduler', waiting({ schedulerName: 'mine' })],
    ['behind a gate', waiting({ schedulingGates: [{ name: 'g' }] })],
    ['that has a node', pod('p')],
    ['that goes', pod('p', { node: '', phase: 'Pending', deleting: true })],
  ]
  it.each(others)('leaves a pod %s alone', (_, subject) => {
    expect(plan(subject, on('n1')).actions).toEqual([])
  })
})
