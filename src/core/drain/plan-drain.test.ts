import { describe, expect, test } from 'vitest'
import { podOf } from '../../../test/support/drain-grid.ts'
import { keepOnly, recordAnswer } from './memory.ts'
import {
  type Answer,
  DEFAULT_DRAIN_POLICY,
  type DrainMemory,
  type DrainObserved,
  type DrainPlan,
  type DrainPod,
} from './model.ts'
import { planDrain } from './plan-drain.ts'

const observe = (changes: Partial<DrainObserved> = {}): DrainObserved => ({
  node: { name: 'n1', reachable: true, machineOff: false },
  pods: [],
  daemonSets: new Set(),
  attachedClaims: new Set(),
  budgets: [],
  policy: DEFAULT_DRAIN_POLICY,
  startedAt: 0,
  operationDeadline: 1_800_000,
  memory: new Map(),
  ...changes,
})

const pod = (name: string, kind: Parameters<typeof podOf>[0] = 'managed'): DrainPod => podOf(kind, name, name)
const ending = (one: DrainPod, at = '1970-01-01T00:05:00Z'): DrainPod => ({
  ...one,
  metadata: { ...one.metadata, deletionTimestamp: at },
})
const asked = ({ actions }: DrainPlan) => actions.map(({ kind, pod: { name } }) => `${kind} ${name}`)
const answered = (...answers: [string, Answer][]): DrainMemory =>
  answers.reduce<DrainMemory>(
    (memory, [uid, answer]) =>
      recordAnswer(
        memory,
        uid,
        { answer, message: `said ${answer}` },
        { now: 0, policy: DEFAULT_DRAIN_POLICY, jitter: 0 },
      ),
    new Map(),
  )

describe('the rules of the drain helper', () => {
  test('D1: there is one counter of attempts, whatever the answers were', () => {
    const memory = answered(['a', 'Budget'], ['a', 'NoAnswer'], ['a', 'ServerError'])
    expect(memory.get('a')?.attempts).toBe(3)
    expect(planDrain(observe({ pods: [pod('a')], memory }), 1).blockers).toMatchObject([{ attempts: 3 }])
  })

  test.each<Answer>(['Budget', 'ServerError', 'NoAnswer', 'Throttled', 'Denied', 'Conflict'])(
    'D2: after %s it is asked again, after a wait',
    (answer) => {
      const observed = observe({ pods: [pod('a')], memory: answered(['a', answer]) })
      const first = planDrain(observed, 1)
      expect(asked(first)).toEqual([])
      const again = 1 + (first.requeueAfterMs ?? 0)
      expect(again).toBeGreaterThanOrEqual(1_000)
      expect(asked(planDrain(observed, again))).toEqual(['Evict a'])
    },
  )

  test.each([
    ['its own timeout', 1_800_000, 300_000],
    ['what is left of the operation', 120_000, 120_000],
  ])('D3: a drain ends with %s', (_, operationDeadline, end) => {
    const observed = observe({ pods: [pod('a')], operationDeadline, memory: answered(['a', 'Budget']) })
    expect(planDrain(observed, end - 1).outcome).toBe('InProgress')
    expect(planDrain(observed, end)).toMatchObject({ outcome: 'Failed', actions: [], deadline: end })
  })

  test('D4: no look is later than the deadline', () => {
    const memory = answered(['a', 'Budget'])
    const plan = planDrain(observe({ pods: [pod('a')], memory, operationDeadline: 4_000 }), 1_000)
    expect(plan.requeueAfterMs).toBe(3_000)
  })

  test('D5: the failure names the node, the pods, their budgets and what was said last', () => {
    const budgets = [
      { metadata: { namespace: 'default', name: 'app' }, spec: { selector: { matchLabels: { app: 'app' } } } },
    ]
    const observed = observe({ pods: [pod('a')], memory: answered(['a', 'Budget'], ['a', 'Budget']), budgets })
    expect(planDrain(observed, 300_000).message).toBe(
      'node n1: 1 of 1 pods still to go after 300 s: BudgetExhausted: default/a (PodDisruptionBudget default/app; 2 attempts; last answer: said Budget)',
    )
  })
})

describe('the order of a drain', () => {
  test('pods without volumes go at once, one with volumes beside them, critical ones last', () => {
    const pods = [pod('z', 'critical'), pod('b'), pod('v2', 'volume'), pod('v1', 'volume'), pod('a')]
    expect(asked(planDrain(observe({ pods }), 0))).toEqual(['Evict a', 'Evict b', 'Evict v1'])
    expect(asked(planDrain(observe({ pods: [pod('z', 'critical'), ending(pod('b'))] }), 0))).toEqual([])
    expect(asked(planDrain(observe({ pods: [pod('z', 'critical')] }), 0))).toEqual(['Evict z'])
  })

  test('the next pod with a volume waits until the volume of the one before is detached', () => {
    const pods = [pod('v2', 'volume')]
    const both = new Set(['default/data-v1', 'default/data-v2'])
    expect(asked(planDrain(observe({ pods: [...pods, ending(pod('v1', 'volume'))] }), 0))).toEqual([])
    expect(asked(planDrain(observe({ pods, attachedClaims: both }), 0))).toEqual([])
    expect(asked(planDrain(observe({ pods, attachedClaims: new Set(['default/data-v2']) }), 0))).toEqual(['Evict v2'])
  })

  test('a node is drained only when its last volume is detached', () => {
    const attachedClaims = new Set(['default/data-v1'])
    expect(planDrain(observe({ attachedClaims }), 0)).toMatchObject({
      outcome: 'InProgress',
      blockers: [{ cause: 'VolumeAttached', pods: ['default/data-v1'] }],
    })
    expect(planDrain(observe({ attachedClaims }), 300_000).outcome).toBe('Failed')
    expect(planDrain(observe(), 0).outcome).toBe('Drained')
  })

  test('a pod that a budget holds lets other pods with volumes go first', () => {
    const pods = [pod('v1', 'volume'), pod('v2', 'volume')]
    expect(asked(planDrain(observe({ pods, memory: answered(['v1', 'Budget']) }), 1))).toEqual(['Evict v2'])
    expect(asked(planDrain(observe({ pods, memory: answered(['v1', 'Accepted']) }), 1))).toEqual([])
  })
})

describe('what ends a drain early, and what does not', () => {
  test('one pod that must not go keeps all others where they are', () => {
    const plan = planDrain(observe({ pods: [pod('a'), pod('b', 'unmanaged')] }), 0)
    expect(plan).toMatchObject({
      outcome: 'Failed',
      actions: [],
      blockers: [{ cause: 'NotTried' }, { cause: 'Unmanaged' }],
    })
  })

  test('DaemonSets that cannot be read block their pods rather than let them be evicted', () => {
    const plan = planDrain(observe({ pods: [pod('a', 'daemon')], daemonSets: undefined }), 0)
    expect(plan).toMatchObject({ outcome: 'Failed', blockers: [{ cause: 'DaemonSetUnknown' }] })
  })

  test('a missing permission ends it when everything else has gone, with critical pods untouched', () => {
    const pods = [pod('a'), pod('b'), pod('c', 'critical')]
    const memory = answered(['a', 'Forbidden'])
    expect(asked(planDrain(observe({ pods, memory }), 0))).toEqual(['Evict b'])
    expect(planDrain(observe({ pods: [pod('a'), pod('c', 'critical')], memory }), 0).outcome).toBe('Failed')
  })

  test('Skip leaves the node out instead of failing', () => {
    const policy = { ...DEFAULT_DRAIN_POLICY, onTimeout: 'Skip' } as const
    expect(planDrain(observe({ pods: [pod('a')], policy }), 300_000).outcome).toBe('Skipped')
    expect(planDrain(observe({ pods: [pod('a', 'unmanaged')], policy }), 0).outcome).toBe('Skipped')
  })

  test('Force deletes what is left at the deadline, with its own grace and never with none', () => {
    const policy = { ...DEFAULT_DRAIN_POLICY, onTimeout: 'Force', gracePeriodSeconds: 0 } as const
    const pods = [pod('a', 'unmanaged'), ending(pod('b'), '1970-01-01T00:10:00Z'), pod('m', 'mirror')]
    expect(asked(planDrain(observe({ pods, policy }), 299_999))).toEqual([])
    const plan = planDrain(observe({ pods, policy }), 300_000)
    expect(plan.actions).toMatchObject([{ kind: 'Delete', pod: { name: 'a' }, gracePeriodSeconds: 1 }])
    expect(planDrain(observe({ pods, policy }), 1_800_000).outcome).toBe('Failed')
  })
})

describe('nodes that do not answer', () => {
  test('pods of a silent kubelet are asked to go, and not awaited beyond their grace', () => {
    const node = { name: 'n1', reachable: false, machineOff: false }
    expect(asked(planDrain(observe({ node, pods: [pod('a')] }), 0))).toEqual(['Evict a'])
    const pods = [ending(pod('a'), '1970-01-01T00:00:30Z')]
    expect(planDrain(observe({ node, pods }), 29_000).outcome).toBe('InProgress')
    expect(planDrain(observe({ node, pods }), 30_000).outcome).toBe('Drained')
  })

  test('on a machine that is off pods are deleted: a budget could only be in the way', () => {
    const node = { name: 'n1', reachable: false, machineOff: true }
    const pods = [pod('a', 'critical'), ending(pod('b')), pod('c', 'unmanaged'), pod('d', 'daemon')]
    const daemonSets = new Set(['default/agent'])
    const attachedClaims = new Set(['default/data-x'])
    const plan = planDrain(observe({ node, pods, daemonSets, attachedClaims }), 0)
    expect(asked(plan)).toEqual(['Delete a', 'Delete b'])
    expect(planDrain(observe({ node, pods: [pod('c', 'unmanaged')], attachedClaims }), 0).outcome).toBe('Drained')
  })
})

test('the memory forgets pods that are gone', () => {
  expect([...keepOnly(answered(['a', 'Budget'], ['b', 'Budget']), [pod('b')]).keys()]).toEqual(['b'])
})
