import { describe, expect, it } from 'vitest'
import { DEPLOYMENTS, type Deployment, type ReplicaSet } from '../kinds.ts'
import { ownerReferenceTo } from '../objects/pods.ts'
import { at, conditionIn, meta, NOW, summary, template } from '../testing/objects.ts'
import { planDeployment } from './plan-deployment.ts'

function deployment(spec: Partial<Deployment['spec']> = {}, status?: Deployment['status']): Deployment {
  return {
    metadata: meta('web'),
    spec: { replicas: 4, selector: { matchLabels: { app: 'x' } }, template: template('app:2'), ...spec },
    ...(status === undefined ? {} : { status }),
  }
}

interface Counts {
  readonly image?: string
  readonly revision?: string
  readonly replicas: number
  readonly available?: number
}

function replicaSet(
  name: string,
  { image = 'app:2', revision = '1', replicas, available = replicas }: Counts,
): ReplicaSet {
  return {
    metadata: meta(name, {
      annotations: { 'deployment.kubernetes.io/revision': revision },
      creationTimestamp: at(Number(revision) * 1000 - 60_000),
      ownerReferences: [ownerReferenceTo(DEPLOYMENTS, deployment())],
    }),
    spec: { replicas, selector: {}, template: template(image, { app: 'x', 'pod-template-hash': name }) },
    status: { replicas, readyReplicas: available, availableReplicas: available },
  }
}

const plan = (subject: Deployment, replicaSets: ReplicaSet[] = [], oldPods = 0) =>
  planDeployment({ deployment: subject, replicaSets, oldPodsLeft: () => oldPods }, NOW)

/** What changes the numbers of pods. */
const scales = (subject: Deployment, replicaSets: ReplicaSet[], oldPods = 0) =>
  summary(plan(subject, replicaSets, oldPods)).filter((line) => line.includes(' to ') || line.startsWith('create'))

const old = (replicas: number, available = replicas) =>
  replicaSet('old', { image: 'app:1', revision: '1', replicas, available })
const present = (replicas: number, available = replicas) => replicaSet('new', { revision: '2', replicas, available })

describe('a Deployment', () => {
  it('makes the ReplicaSet of its template with all replicas', () => {
    const { actions, notes } = plan(deployment())
    const [create] = actions
    expect(create).toMatchObject({ kind: 'Create', object: { spec: { replicas: 4 } } })
    expect(create).toMatchObject({
      object: { metadata: { annotations: { 'deployment.kubernetes.io/revision': '1' } } },
    })
    expect(notes.map(({ reason }) => reason)).toEqual(['ScalingReplicaSet'])
  })

  const rolling: Array<[string, ReplicaSet[], string[]]> = [
    ['the present one grows into the surge', [old(4), present(0)], ['patch ReplicaSet new to 1']],
    ['old ones shrink to what may be unavailable', [old(4), present(1, 0)], ['patch ReplicaSet old to 3']],
    ['nothing moves while the new pods are not available', [old(3), present(2, 0)], []],
    ['a new pod that is available lets an old one go', [old(3), present(2, 1)], ['patch ReplicaSet old to 2']],
    ['old pods that are not available go first', [old(4, 2), present(1, 1)], ['patch ReplicaSet old to 2']],
    ['the last old ones go', [old(1), present(4)], ['patch ReplicaSet old to 0']],
    ['a complete rollout stays', [old(0), present(4)], []],
    ['too many of the present one shrink', [present(6)], ['patch ReplicaSet new to 4']],
  ]
  it.each(rolling)('RollingUpdate: %s', (_, replicaSets, lines) => {
    expect(scales(deployment(), replicaSets)).toEqual(lines)
  })

  it('RollingUpdate without surge and unavailable pods still moves: one pod may be unavailable', () => {
    const strategy = { type: 'RollingUpdate', rollingUpdate: { maxSurge: 0, maxUnavailable: 0 } }
    expect(scales(deployment({ strategy }), [old(4), present(0)])).toEqual(['patch ReplicaSet old to 3'])
  })

  it.each([
    ['old pods end first', [old(4)], 4, ['patch ReplicaSet old to 0']],
    ['nothing starts while one of them is left', [old(0), present(0)], 1, []],
    ['then all start', [old(0), present(0)], 0, ['patch ReplicaSet new to 4']],
  ] as const)('Recreate: %s', (_, replicaSets, oldPods, lines) => {
    const subject = deployment({ strategy: { type: 'Recreate' } })
    const seen = scales(subject, [...replicaSets], oldPods).filter((line) => !line.startsWith('create'))
    expect(seen).toEqual(lines)
  })

  it('a paused one makes no ReplicaSet, and scales the one it has', () => {
    expect(scales(deployment({ paused: true }), [old(2)])).toEqual(['patch ReplicaSet old to 4'])
    expect(conditionIn(plan(deployment({ paused: true }), [old(2)]).status, 'Progressing')?.reason).toBe(
      'DeploymentPaused',
    )
  })

  it('a rollback gives the former ReplicaSet the highest revision, and keeps its history', () => {
    const former = replicaSet('former', { image: 'app:2', revision: '1', replicas: 0 })
    const latest = replicaSet('latest', { image: 'app:9', revision: '2', replicas: 4 })
    const { actions } = plan(deployment(), [former, latest])
    const annotations = { 'deployment.kubernetes.io/revision': '3', 'deployment.kubernetes.io/revision-history': '1' }
    expect(actions[0]).toMatchObject({
      kind: 'Patch',
      object: { metadata: { name: 'former' } },
      metadata: { annotations },
    })
  })

  it('ReplicaSets beyond the history limit go, oldest first, once the rollout is complete', () => {
    const history = ['1', '2', '3'].map((revision) =>
      replicaSet(`r${revision}`, { image: `app:0${revision}`, revision, replicas: 0 }),
    )
    const all = [...history, replicaSet('new', { revision: '4', replicas: 4 })]
    const lines = summary(plan(deployment({ revisionHistoryLimit: 1 }), all))
    expect(lines.filter((line) => line.startsWith('delete'))).toEqual(['delete ReplicaSet r1', 'delete ReplicaSet r2'])
  })

  it('nothing is done for one that is being deleted', () => {
    const going = { ...deployment(), metadata: meta('web', { deletionTimestamp: at(0) }) }
    expect(plan(going).actions).toEqual([])
  })
})

describe('the status of a Deployment', () => {
  const progressing = (reason: string, lastUpdateTime: string, status = 'True') => ({
    observedGeneration: 1,
    updatedReplicas: 4,
    readyReplicas: 2,
    availableReplicas: 2,
    replicas: 4,
    conditions: [
      { type: 'Progressing', status, reason, message: 'm', lastUpdateTime, lastTransitionTime: at(-900_000) },
    ],
  })

  it('counts, and says that a complete rollout is complete', () => {
    const { status } = plan(deployment(), [old(0), present(4)])
    expect(status).toMatchObject({ replicas: 4, updatedReplicas: 4, availableReplicas: 4, unavailableReplicas: 0 })
    expect(conditionIn(status, 'Available')?.status).toBe('True')
    expect(conditionIn(status, 'Progressing')?.reason).toBe('NewReplicaSetAvailable')
  })

  it('is not available below what may be unavailable', () => {
    expect(conditionIn(plan(deployment(), [present(4, 2)]).status, 'Available')).toMatchObject({ status: 'False' })
  })

  it('a rollout that does not move until the deadline is too slow', () => {
    const subject = deployment({ progressDeadlineSeconds: 60 }, progressing('ReplicaSetUpdated', at(-60_000)))
    const { status } = plan(subject, [present(4, 2)])
    expect(conditionIn(status, 'Progressing')).toMatchObject({ status: 'False', reason: 'ProgressDeadlineExceeded' })
  })

  it('before the deadline it asks to be looked at then', () => {
    const subject = deployment({ progressDeadlineSeconds: 60 }, progressing('ReplicaSetUpdated', at(-20_000)))
    expect(plan(subject, [present(4, 2)])).toMatchObject({ requeueAfterMs: 40_000 })
  })

  it('a complete rollout that loses pods later is not too slow', () => {
    const subject = deployment({ progressDeadlineSeconds: 60 }, progressing('NewReplicaSetAvailable', at(-600_000)))
    const { status } = plan(subject, [present(4, 2)])
    expect(conditionIn(status, 'Progressing')).toMatchObject({ status: 'True', reason: 'NewReplicaSetAvailable' })
  })
})
