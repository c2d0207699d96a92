import { describe, expect, it } from 'vitest'
import type { Pod, ReplicaSet } from '../kinds.ts'
import { at, meta, NOW, pod, summary, template } from '../testing/objects.ts'
import { planReplicaSet } from './plan-replica-set.ts'

function replicaSet(replicas: number, spec: Partial<ReplicaSet['spec']> = {}): ReplicaSet {
  return { metadata: meta('web'), spec: { replicas, selector: {}, template: template(), ...spec } }
}

const plan = (replicas: number, pods: Pod[], spec: Partial<ReplicaSet['spec']> = {}) =>
  planReplicaSet({ replicaSet: replicaSet(replicas, spec), pods }, NOW)

describe('a ReplicaSet', () => {
  it('makes what is missing', () => {
    expect(summary(plan(3, [pod('a')]))).toEqual(['create Pod web-*', 'create Pod web-*'])
  })

  it('does not count pods that have ended or go', () => {
    const pods = [pod('failed', { phase: 'Failed' }), pod('going', { deleting: true })]
    expect(summary(plan(1, pods))).toEqual(['create Pod web-*'])
  })

  it('makes at most 100 pods at once', () => {
    expect(plan(1000, []).actions).toHaveLength(100)
  })

  const victims: Array<[string, Pod[], string]> = [
    ['without a node', [pod('a'), pod('b', { node: '', phase: 'Pending' })], 'b'],
    ['pending', [pod('a'), pod('b', { phase: 'Pending' })], 'b'],
    ['not ready', [pod('a'), pod('b', { ready: false })], 'b'],
    ['cheaper', [pod('a'), pod('b', { annotations: { 'controller.kubernetes.io/pod-deletion-cost': '-5' } })], 'b'],
    [
      'with more siblings on its node',
      [pod('a', { node: 'n1' }), pod('b', { node: 'n2' }), pod('c', { node: 'n2' })],
      'b',
    ],
    ['ready for a shorter time', [pod('a', { readySince: at(-90_000) }), pod('b', { readySince: at(-1_000) })], 'b'],
    ['younger', [pod('a', { created: at(-90_000) }), pod('b', { created: at(-1_000) })], 'b'],
  ]
  it.each(victims)('removes first the pod that is %s', (_, pods, name) => {
    expect(summary(plan(pods.length - 1, pods))).toEqual([`delete Pod ${name}`])
  })

  it('counts as available what has been ready for minReadySeconds, and looks again for the rest', () => {
    const pods = [
      pod('a', { readySince: at(-60_000) }),
      pod('b', { readySince: at(-10_000) }),
      pod('c', { ready: false }),
    ]
    const { status, requeueAfterMs } = plan(3, pods, { minReadySeconds: 30 })
    expect(status).toMatchObject({ replicas: 3, readyReplicas: 2, availableReplicas: 1 })
    expect(requeueAfterMs).toBe(20_000)
  })
})
