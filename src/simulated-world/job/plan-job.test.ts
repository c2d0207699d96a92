import { describe, expect, it } from 'vitest'
import type { Job, Pod } from '../kinds.ts'
import { at, conditionIn, meta, NOW, pod, summary, template } from '../testing/objects.ts'
import { planJob } from './plan-job.ts'

function job(spec: Partial<Job['spec']> = {}, status?: Job['status']): Job {
  return {
    metadata: meta('work'),
    spec: { parallelism: 1, completions: 1, backoffLimit: 6, template: template(), ...spec },
    ...(status === undefined ? {} : { status }),
  }
}

const plan = (subject: Job, pods: Pod[] = []) => planJob({ job: subject, pods }, NOW)
const done = (name: string) => pod(name, { phase: 'Succeeded' })

function failed(name: string, finishedAt = at(-3_600_000)): Pod {
  const state = { terminated: { exitCode: 1, finishedAt } }
  const container = { name: 'main', ready: false, restartCount: 0, image: '', imageID: '', state }
  return pod(name, { created: at(-7_200_000), status: { phase: 'Failed', containerStatuses: [container] } })
}

describe('a Job', () => {
  const steps: Array<[string, Partial<Job['spec']>, Pod[], string[]]> = [
    ['starts', {}, [], ['create Pod work-*']],
    [
      'starts as many as may run at once',
      { parallelism: 2, completions: 5 },
      [],
      ['create Pod work-*', 'create Pod work-*'],
    ],
    [
      'starts no more than are still to do',
      { parallelism: 3, completions: 3 },
      [done('a'), done('b')],
      ['create Pod work-*'],
    ],
    ['waits for what runs', {}, [pod('a')], []],
    ['a pod that goes is made again', {}, [pod('a', { deleting: true })], ['create Pod work-*']],
    ['after a failure it tries again', {}, [failed('a')], ['create Pod work-*']],
    ['but not at once', {}, [failed('a', at(-4_000))], []],
    ['a suspended one stops', { suspend: true }, [pod('a')], ['delete Pod a']],
    ['a smaller parallelism ends pods', { parallelism: 1, completions: 5 }, [pod('a'), pod('b')], ['delete Pod b']],
    [
      'a queue of work starts all its workers',
      { parallelism: 2, completions: undefined },
      [],
      ['create Pod work-*', 'create Pod work-*'],
    ],
    ['and none when one has found the end', { parallelism: 2, completions: undefined }, [done('a'), pod('b')], []],
  ] as Array<[string, Partial<Job['spec']>, Pod[], string[]]>
  it.each(steps)('%s', (_, spec, pods, lines) => {
    expect(summary(plan(job(spec), pods))).toEqual(lines)
  })

  it('waits 10 s after the first failure and doubles that after each', () => {
    expect(plan(job(), [failed('a', at(-4_000))]).requeueAfterMs).toBe(6_000)
    expect(plan(job(), [failed('a'), failed('b', at(-4_000))]).requeueAfterMs).toBe(16_000)
  })

  it('is complete with enough successes', () => {
    const { status } = plan(job(), [done('a')])
    expect(conditionIn(status, 'Complete')?.status).toBe('True')
    expect(conditionIn(status, 'SuccessCriteriaMet')?.status).toBe('True')
    expect(status).toMatchObject({ succeeded: 1, active: 0, completionTime: at(0) })
  })

  it('counts a success whose pod was deleted', () => {
    const { status } = plan(job({}, { succeeded: 1, startTime: at(-1_000) }), [])
    expect(conditionIn(status, 'Complete')?.status).toBe('True')
  })

  it('fails after more failures than its limit, and ends what runs', () => {
    const seen = plan(job({ backoffLimit: 0 }), [failed('a'), pod('b')])
    expect(summary(seen)).toEqual(['delete Pod b'])
    expect(conditionIn(seen.status, 'Failed')).toMatchObject({ status: 'True', reason: 'BackoffLimitExceeded' })
  })

  it('fails at its deadline, and asks to be looked at then', () => {
    const started = { startTime: at(-30_000) }
    expect(plan(job({ activeDeadlineSeconds: 60 }, started), [pod('a')]).requeueAfterMs).toBe(30_000)
    const { status } = plan(job({ activeDeadlineSeconds: 20 }, started), [pod('a')])
    expect(conditionIn(status, 'Failed')?.reason).toBe('DeadlineExceeded')
  })

  it('is left alone when it has ended, and deleted after its time', () => {
    const conditions = [{ type: 'Complete', status: 'True', lastTransitionTime: at(-10_000) }]
    expect(plan(job({}, { conditions }), [])).toEqual({ actions: [], notes: [] })
    expect(plan(job({ ttlSecondsAfterFinished: 30 }, { conditions }), []).requeueAfterMs).toBe(20_000)
    expect(summary(plan(job({ ttlSecondsAfterFinished: 10 }, { conditions }), []))).toEqual(['delete Job work'])
  })
})
