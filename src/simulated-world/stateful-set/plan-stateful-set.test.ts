import { describe, expect, it } from 'vitest'
import type { ControllerRevision, Pod, StatefulSet } from '../kinds.ts'
import { at, meta, NOW, type PodInput, pod, summary, template } from '../testing/objects.ts'
import { planStatefulSet } from './plan-stateful-set.ts'

function statefulSet(spec: Partial<StatefulSet['spec']> = {}, status: StatefulSet['status'] = {}): StatefulSet {
  return {
    metadata: meta('db'),
    spec: { replicas: 3, selector: { matchLabels: { app: 'x' } }, template: template('db:2'), ...spec },
    status: { currentRevision: 'db-old', ...status },
  }
}

function revision(name: string, image: string, number: number): ControllerRevision {
  return {
    metadata: meta(name, { labels: { 'controller-revision-hash': name } }),
    data: { spec: { template: template(image) } },
    revision: number,
  }
}

const REVISIONS = [revision('db-old', 'db:1', 1), revision('db-new', 'db:2', 2)]

function member(ordinal: number, of: 'old' | 'new' = 'new', input: PodInput = {}): Pod {
  return pod(`db-${ordinal}`, { ...input, labels: { app: 'x', 'controller-revision-hash': `db-${of}` } })
}

const plan = (subject: StatefulSet, pods: Pod[], revisions = REVISIONS) =>
  planStatefulSet({ statefulSet: subject, pods, revisions, claims: [] }, NOW)

describe('a StatefulSet', () => {
  const steps: Array<[string, Partial<StatefulSet['spec']>, Pod[], string[]]> = [
    ['starts with the first', {}, [], ['create Pod db-0']],
    ['the next waits until the first is ready', {}, [member(0, 'new', { ready: false })], []],
    ['then comes', {}, [member(0)], ['create Pod db-1']],
    [
      'Parallel starts all',
      { podManagementPolicy: 'Parallel' },
      [],
      ['create Pod db-0', 'create Pod db-1', 'create Pod db-2'],
    ],
    ['a finished pod goes first', {}, [member(0), member(1, 'new', { phase: 'Failed' })], ['delete Pod db-1']],
    ['a pod that still ends keeps its name', {}, [member(0), member(1, 'new', { deleting: true })], []],
    ['surplus goes from the top', { replicas: 1 }, [member(0), member(1), member(2)], ['delete Pod db-2']],
    ['one at a time', { replicas: 1 }, [member(0), member(1), member(2, 'new', { deleting: true })], []],
    ['an update takes the highest', {}, [member(0, 'old'), member(1, 'old'), member(2, 'old')], ['delete Pod db-2']],
    ['waits for it', {}, [member(0, 'old'), member(1, 'old'), member(2, 'new', { ready: false })], []],
    ['takes the next', {}, [member(0, 'old'), member(1, 'old'), member(2)], ['delete Pod db-1']],
    [
      'ends at the partition',
      { updateStrategy: { rollingUpdate: { partition: 2 } } },
      [member(0, 'old'), member(1, 'old'), member(2)],
      [],
    ],
    [
      'OnDelete updates nothing by itself',
      { updateStrategy: { type: 'OnDelete' } },
      [0, 1, 2].map((at) => member(at, 'old')),
      [],
    ],
    ['counts from another start', { replicas: 1, ordinals: { start: 5 } }, [], ['create Pod db-5']],
  ]
  it.each(steps)('%s', (_, spec, pods, lines) => {
    expect(summary(plan(statefulSet(spec), pods))).toEqual(lines)
  })

  it('a pod below the partition is made again with the former template', () => {
    const updateStrategy = { rollingUpdate: { partition: 2 } }
    const { actions } = plan(statefulSet({ updateStrategy }), [member(1, 'old'), member(2)])
    expect(actions[0]).toMatchObject({
      object: { metadata: { name: 'db-0' }, spec: { containers: [{ image: 'db:1' }], hostname: 'db-0' } },
    })
  })

  it('makes the claims of a pod before the pod', () => {
    const volumeClaimTemplates = [{ metadata: { name: 'data' }, spec: {} }]
    const seen = plan(statefulSet({ volumeClaimTemplates }), [])
    expect(summary(seen)).toEqual(['create PersistentVolumeClaim data-db-0', 'create Pod db-0'])
    expect(seen.actions[1]).toMatchObject({
      object: { spec: { volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data-db-0' } }] } },
    })
  })

  it('keeps its template as a revision, and moves a former one up when it is wanted again', () => {
    expect(summary(plan(statefulSet(), [], []))[0]).toMatch(/^create ControllerRevision db-/)
    const back = plan(statefulSet({ template: template('db:1') }), [member(0), member(1), member(2)])
    expect(back.actions[0]).toMatchObject({ kind: 'Replace', object: { metadata: { name: 'db-old' }, revision: 3 } })
  })

  it('when all pods are updated and ready, the update is what is current', () => {
    expect(plan(statefulSet(), [member(0), member(1), member(2)]).status).toMatchObject({
      currentRevision: 'db-new',
      updateRevision: 'db-new',
      currentReplicas: 3,
      updatedReplicas: 3,
      readyReplicas: 3,
    })
    expect(plan(statefulSet(), [member(0, 'old'), member(1, 'old'), member(2)]).status).toMatchObject({
      currentRevision: 'db-old',
      currentReplicas: 2,
      updatedReplicas: 1,
    })
  })

  it('nothing is done for one that is being deleted', () => {
    const going = { ...statefulSet(), metadata: meta('db', { deletionTimestamp: at(0) }) }
    expect(plan(going, []).actions).toEqual([])
  })
})
