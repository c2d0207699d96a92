import { describe, expect, it } from 'vitest'
import type { DaemonSet, Node, Pod } from '../kinds.ts'
import { meta, NOW, node, type PodInput, pod, summary, template } from '../testing/objects.ts'
import { planDaemonSet } from './plan-daemon-set.ts'

const REVISION = {
  metadata: meta('agent-new', { labels: { 'controller-revision-hash': 'new' } }),
  data: { spec: { template: template() } },
  revision: 1,
}

function daemonSet(spec: Partial<DaemonSet['spec']> = {}): DaemonSet {
  return { metadata: meta('agent'), spec: { selector: {}, template: template(), ...spec } }
}

function daemon(on: string, of: 'old' | 'new' = 'new', input: PodInput = {}): Pod {
  return pod(`agent-${on}`, { ...input, node: on, labels: { app: 'x', 'controller-revision-hash': of } })
}

const plan = (subject: DaemonSet, nodes: Node[], pods: Pod[]) =>
  planDaemonSet({ daemonSet: subject, nodes, pods, revisions: [REVISION] }, NOW)

const created = (nodes: Node[], spec: Partial<DaemonSet['spec']> = {}) =>
  summary(plan(daemonSet(spec), nodes, [])).filter((line) => line.startsWith('create Pod')).length

describe('a DaemonSet', () => {
  const pinned = { ...template(), spec: { ...template().spec, nodeSelector: { disk: 'ssd' } } }
  const places: Array<[string, Node, number, Partial<DaemonSet['spec']>]> = [
    ['a node', node('n1'), 1, {}],
    ['a cordoned node', node('n1', { spec: { unschedulable: true } }), 1, {}],
    [
      'a node that is not ready',
      node('n1', { spec: { taints: [{ key: 'node.kubernetes.io/not-ready', effect: 'NoExecute' }] } }),
      1,
      {},
    ],
    ['no node with a foreign taint', node('n1', { spec: { taints: [{ key: 'gpu', effect: 'NoSchedule' }] } }), 0, {}],
    ['no node without the label it asks for', node('n1'), 0, { template: pinned }],
    ['a node with the label it asks for', node('n1', { labels: { disk: 'ssd' } }), 1, { template: pinned }],
  ]
  it.each(places)('runs on %s', (_, on, count, spec) => {
    expect(created([on], spec)).toBe(count)
  })

  it('pins a pod to its node by name, with the tolerations of daemons', () => {
    const { actions } = plan(daemonSet(), [node('n1')], [])
    expect(JSON.stringify(actions[0])).toContain(
      '"matchFields":[{"key":"metadata.name","operator":"In","values":["n1"]}]',
    )
    expect(JSON.stringify(actions[0])).toContain('node.kubernetes.io/unschedulable')
  })

  const steps: Array<[string, Pod[], string[]]> = [
    ['a pod that still ends keeps the place', [daemon('n1', 'new', { deleting: true }), daemon('n2')], []],
    ['a finished pod goes', [daemon('n1', 'new', { phase: 'Failed' }), daemon('n2')], ['delete Pod agent-n1']],
    ['a pod of a node that is gone goes', [daemon('n1'), daemon('n2'), daemon('n9')], ['delete Pod agent-n9']],
    ['an update takes one at a time', [daemon('n1', 'old'), daemon('n2', 'old')], ['delete Pod agent-n1']],
    ['waits while one is not ready', [daemon('n1', 'new', { ready: false }), daemon('n2', 'old')], []],
    [
      'takes old ones that are not ready at once',
      [daemon('n1', 'old', { ready: false }), daemon('n2', 'old')],
      ['delete Pod agent-n1'],
    ],
    ['all updated: nothing', [daemon('n1'), daemon('n2')], []],
  ]
  it.each(steps)('%s', (_, pods, lines) => {
    expect(summary(plan(daemonSet(), [node('n1'), node('n2')], pods))).toEqual(lines)
  })

  it('counts', () => {
    const pods = [daemon('n1'), daemon('n2', 'old', { ready: false })]
    expect(plan(daemonSet(), [node('n1'), node('n2'), node('n3')], pods).status).toMatchObject({
      desiredNumberScheduled: 3,
      currentNumberScheduled: 2,
      numberReady: 1,
      numberAvailable: 1,
      numberUnavailable: 2,
      updatedNumberScheduled: 1,
    })
  })
})
