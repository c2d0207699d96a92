import { describe, expect, it } from 'vitest'
import type { Node, Pod, Taint } from '../kinds.ts'
import { at, conditionIn, NOW, node, pod, summary } from '../testing/objects.ts'
import { planNodeLifecycle } from './plan-node-lifecycle.ts'

const plan = (subject: Node, pods: Pod[] = [], silentMs = 0) =>
  planNodeLifecycle({ node: subject, pods, heardAt: NOW - silentMs, graceMs: 40_000 }, NOW)

function taintsOf(subject: Node, silentMs = 0): string[] {
  const patch = plan(subject, [], silentMs).actions.find(({ kind }) => kind === 'Patch')
  const { taints = [] } = (patch?.kind === 'Patch' ? patch.spec : (subject.spec ?? {})) as { taints?: Taint[] }
  return taints.map(({ key, effect }) => `${key.replace('node.kubernetes.io/', '')}:${effect}`)
}

const unreachable = (timeAdded: string): Node =>
  node('n1', {
    ready: 'Unknown',
    spec: {
      taints: [
        { key: 'node.kubernetes.io/unreachable', effect: 'NoSchedule', timeAdded },
        { key: 'node.kubernetes.io/unreachable', effect: 'NoExecute', timeAdded },
      ],
    },
  })
const tolerating = (tolerationSeconds?: number) => ({
  tolerations: [
    {
      key: 'node.kubernetes.io/unreachable',
      operator: 'Exists',
      effect: 'NoExecute',
      ...(tolerationSeconds === undefined ? {} : { tolerationSeconds }),
    },
  ],
})

describe('a node', () => {
  it('that has the taints it should have is not written', () => {
    expect(plan(node('n1')).actions).toEqual([])
    expect(plan(unreachable(at(-1_000)), [], 50_000).actions).toEqual([])
  })

  it('that renews its Lease is looked at again when the grace period would be over', () => {
    expect(plan(node('n1'), [], 10_000).requeueAfterMs).toBe(30_000)
  })

  it('that is silent for longer becomes Unknown and unreachable', () => {
    const { actions, notes } = plan(node('n1'), [], 40_000)
    const [status] = actions
    expect(status?.kind === 'PatchStatus' && conditionIn(status.status, 'Ready')).toMatchObject({
      status: 'Unknown',
      reason: 'NodeStatusUnknown',
    })
    expect(taintsOf(node('n1'), 40_000)).toEqual(['unreachable:NoSchedule', 'unreachable:NoExecute'])
    expect(notes.map(({ reason }) => reason)).toEqual(['NodeNotReady'])
  })

  const foreign = { key: 'gpu', effect: 'NoSchedule' }
  const taints: Array<[string, Node, string[]]> = [
    ['Ready', node('n1'), []],
    ['not Ready', node('n1', { ready: 'False' }), ['not-ready:NoSchedule', 'not-ready:NoExecute']],
    ['cordoned', node('n1', { spec: { unschedulable: true } }), ['unschedulable:NoSchedule']],
    [
      'Ready again',
      node('n1', { spec: { taints: [{ key: 'node.kubernetes.io/unreachable', effect: 'NoExecute' }] } }),
      [],
    ],
    ['tainted by others', node('n1', { spec: { taints: [foreign] } }), ['gpu:NoSchedule']],
  ]
  it.each(taints)('that is %s has the taints for it', (_, subject, wanted) => {
    expect(taintsOf(subject)).toEqual(wanted)
  })

  it('that is not Ready takes the readiness of its pods', () => {
    const seen = summary(
      plan(
        unreachable(at(-1_000)),
        [pod('a', { spec: tolerating() }), pod('b', { ready: false, spec: tolerating() })],
        50_000,
      ),
    )
    expect(seen).toEqual(['status Pod a'])
  })

  const evictions: Array<[string, Partial<Pod['spec']>, string[], number | undefined]> = [
    ['at once without a toleration', {}, ['delete Pod a'], undefined],
    ['after its seconds', tolerating(30), ['delete Pod a'], undefined],
    ['not before', tolerating(300), [], 240_000],
    ['never with a toleration without an end', tolerating(), [], undefined],
  ]
  it.each(evictions)('that is unreachable for a minute loses a pod %s', (_, spec, lines, waitMs) => {
    const seen = plan(unreachable(at(-60_000)), [pod('a', { spec, ready: false })], 50_000)
    expect(summary(seen).filter((line) => line.startsWith('delete'))).toEqual(lines)
    expect(seen.requeueAfterMs).toBe(waitMs)
  })
})
