import { describe, expect, it } from 'vitest'
import type { Pod, PodDisruptionBudget } from '../kinds.ts'
import { at, conditionIn, meta, NOW, pod } from '../testing/objects.ts'
import { planDisruptionBudget } from './plan-disruption-budget.ts'

function budget(spec: PodDisruptionBudget['spec'], status?: PodDisruptionBudget['status']): PodDisruptionBudget {
  return { metadata: meta('b', { generation: 3 }), spec, ...(status === undefined ? {} : { status }) }
}

const ready = (count: number): Pod[] => Array.from({ length: count }, (_, index) => pod(`p${index}`))
const plan = (subject: PodDisruptionBudget, pods: Pod[], controllersWant = pods.length) =>
  planDisruptionBudget({ budget: subject, pods, controllersWant }, NOW)

describe('a PodDisruptionBudget', () => {
  /** spec, ready pods, what the controllers want -> expected, desired, healthy, allowed */
  const sums: Array<[PodDisruptionBudget['spec'], number, number, number[]]> = [
    [{ minAvailable: 2 }, 3, 3, [3, 2, 3, 1]],
    [{ minAvailable: 3 }, 3, 3, [3, 3, 3, 0]],
    [{ minAvailable: 5 }, 3, 3, [3, 5, 3, 0]],
    [{ minAvailable: 0 }, 3, 3, [3, 0, 3, 3]],
    [{ minAvailable: '50%' }, 3, 3, [3, 2, 3, 1]],
    [{ minAvailable: '50%' }, 3, 7, [7, 4, 3, 0]],
    [{ maxUnavailable: 1 }, 3, 3, [3, 2, 3, 1]],
    [{ maxUnavailable: 1 }, 2, 3, [3, 2, 2, 0]],
    [{ maxUnavailable: '30%' }, 3, 3, [3, 2, 3, 1]],
    [{ maxUnavailable: 0 }, 3, 3, [3, 3, 3, 0]],
    [{ maxUnavailable: '100%' }, 3, 3, [3, 0, 3, 3]],
    [{ maxUnavailable: 1 }, 1, 0, [0, 0, 1, 0]],
  ]
  it.each(sums)('%o with %i ready pods of %i wanted', (spec, count, wanted, [expected, desired, healthy, allowed]) => {
    expect(plan(budget(spec), ready(count), wanted).status).toMatchObject({
      expectedPods: expected,
      desiredHealthy: desired,
      currentHealthy: healthy,
      disruptionsAllowed: allowed,
      observedGeneration: 3,
    })
  })

  const unhealthy: Array<[string, Pod]> = [
    ['is not ready', pod('p9', { ready: false })],
    ['goes', pod('p9', { deleting: true })],
  ]
  it.each(unhealthy)('a pod that %s is not healthy', (_, one) => {
    expect(plan(budget({ minAvailable: 1 }), [...ready(2), one]).status).toMatchObject({
      currentHealthy: 2,
      expectedPods: 3,
    })
  })

  it('a finished pod does not count at all', () => {
    const pods = [...ready(2), pod('p9', { phase: 'Succeeded' })]
    expect(plan(budget({ minAvailable: 1 }), pods).status).toMatchObject({ currentHealthy: 2, expectedPods: 2 })
  })

  it('a granted eviction counts against the budget until the pod is seen to go, two minutes at most', () => {
    const disruptedPods = { p0: at(-20_000), p1: at(-130_000), p2: at(-1_000), gone: at(-1_000) }
    const pods = [pod('p0'), pod('p1'), pod('p2', { deleting: true }), pod('p3')]
    const { status, requeueAfterMs } = plan(budget({ minAvailable: 1 }, { disruptedPods }), pods)
    expect(status).toMatchObject({ disruptedPods: { p0: at(-20_000) }, currentHealthy: 2, disruptionsAllowed: 1 })
    expect(requeueAfterMs).toBe(100_000)
  })

  it('a pod that was made again under the name of an evicted one is another pod', () => {
    const [again] = ready(1)
    const made = { ...again!, metadata: { ...again!.metadata, name: 'p0', creationTimestamp: at(0) } }
    const { status } = plan(budget({ minAvailable: 0 }, { disruptedPods: { p0: at(-1_000) } }), [made])
    expect(status).toMatchObject({ currentHealthy: 1, disruptedPods: undefined })
    const sameSecond = { ...made, metadata: { ...made.metadata, creationTimestamp: at(-1_000) } }
    const unsure = plan(budget({ minAvailable: 0 }, { disruptedPods: { p0: at(-1_000) } }), [sameSecond])
    expect(unsure).toMatchObject({ status: { currentHealthy: 0 }, requeueAfterMs: 1_000 })
  })

  it('says by its condition whether an eviction is possible', () => {
    expect(conditionIn(plan(budget({ minAvailable: 1 }), ready(2)).status, 'DisruptionAllowed')).toMatchObject({
      status: 'True',
      reason: 'SufficientPods',
    })
    expect(conditionIn(plan(budget({ minAvailable: 2 }), ready(2)).status, 'DisruptionAllowed')).toMatchObject({
      status: 'False',
      reason: 'InsufficientPods',
    })
  })
})
