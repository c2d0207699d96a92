import { describe, expect, it } from 'vitest'
import { createHealthWorld, type HealthWorld, HOLDER } from '../../../../test/support/health-world.ts'
import { JOBS } from './job.ts'

const CHECK = {
  name: 'smoke',
  type: 'job' as const,
  timeout: '20s',
  job: {
    namespace: 'default',
    every: '60s',
    template: {
      template: { metadata: { labels: { app: 'smoke' } }, spec: { containers: [{ name: 'x', image: 'x' }] } },
    },
  },
}

const jobsOf = async ({ kube }: HealthWorld) => (await kube.list(JOBS, { namespace: 'default' })).items

async function begun(world: HealthWorld) {
  world.holder = HOLDER
  world.look(CHECK)
  for (;;) {
    const [job] = await jobsOf(world)
    if (job !== undefined) return job
    await world.clock.settle()
  }
}

async function ends(world: HealthWorld, type: 'Complete' | 'Failed'): Promise<void> {
  const job = await begun(world)
  const condition = { type, status: 'True', reason: 'DeadlineExceeded', message: 'too long' }
  const ref = { name: job.metadata.name ?? '', namespace: 'default' }
  await world.kube.patch(
    JOBS,
    ref,
    { type: 'merge', body: { status: { conditions: [condition] } } },
    { subresource: 'status' },
  )
  while (world.checked.length === 0) await world.clock.advance(1_000)
}

describe('a Job', () => {
  it('is made out of the template, ends by itself at the latest, and is known by its labels', async () => {
    const world = createHealthWorld()
    const { metadata, spec } = await begun(world)
    const labels = { 'kobe.kunobi.ninja/health-check': 'smoke', 'kobe.kunobi.ninja/managed-cluster': 'prod-uid' }
    expect(metadata).toMatchObject({ name: expect.stringMatching(/^kobe-check-smoke-[a-z0-9]+$/), labels })
    expect(spec).toMatchObject({
      backoffLimit: 0,
      activeDeadlineSeconds: 20,
      ttlSecondsAfterFinished: 600,
      template: {
        metadata: { labels: { app: 'smoke', ...labels } },
        spec: { restartPolicy: 'Never', containers: [{ name: 'x' }] },
      },
    })
    await world.monitor.stop()
    expect(await jobsOf(world)).toEqual([])
  })

  it('that succeeds is a pass, and is deleted; the next one comes a minute after it began', async () => {
    const world = createHealthWorld()
    await ends(world, 'Complete')
    expect(world.look(CHECK)).toMatchObject({ passes: 1, message: 'well' })
    while ((await jobsOf(world)).length > 0) await world.clock.settle()
    await world.clock.advance(50_000)
    world.look(CHECK)
    await world.clock.settle()
    expect(await jobsOf(world)).toEqual([])
    await world.clock.advance(10_000)
    await begun(world)
  })

  it('that fails is unhealthy, and says why', async () => {
    const world = createHealthWorld()
    await ends(world, 'Failed')
    expect(world.look(CHECK)).toMatchObject({
      passes: 0,
      message: expect.stringMatching(/^Job default\/kobe-check-smoke-\w+ failed: DeadlineExceeded: too long$/),
    })
  })

  it('that takes too long is unhealthy, and is deleted', async () => {
    const world = createHealthWorld()
    await begun(world)
    await world.clock.advance(20_000)
    expect(world.look(CHECK)).toMatchObject({ passes: 0, message: 'no result within 20 s' })
    while ((await jobsOf(world)).length > 0) await world.clock.settle()
  })

  it('that somebody deletes is unhealthy', async () => {
    const world = createHealthWorld()
    const { metadata } = await begun(world)
    await world.kube.delete(JOBS, { name: metadata.name ?? '', namespace: 'default' })
    while (world.checked.length === 0) await world.clock.advance(1_000)
    expect(world.look(CHECK).passes).toBe(0)
  })

  it('that nobody waits for any more is deleted', async () => {
    const world = createHealthWorld()
    await begun(world)
    world.holder = undefined
    world.look(CHECK)
    while ((await jobsOf(world)).length > 0) await world.clock.settle()
    expect(world.checked).toEqual([])
  })

  it('of an operator that died is deleted before the next one', async () => {
    const world = createHealthWorld()
    const labels = {
      'app.kubernetes.io/managed-by': 'kobe-operator',
      'kobe.kunobi.ninja/health-check': 'smoke',
      'kobe.kunobi.ninja/managed-cluster': 'prod-uid',
    }
    await world.kube.create(JOBS, { metadata: { name: 'left', namespace: 'default', labels } })
    world.holder = HOLDER
    world.look(CHECK)
    while ((await jobsOf(world)).some(({ metadata }) => metadata.name === 'left')) await world.clock.settle()
  })

  it.each([
    ['no operation holds the cluster', undefined],
    ['the cluster is started as a whole', { ...HOLDER, type: 'Start' as const }],
    ['the run is over', { ...HOLDER, outcome: { phase: 'Failed' as const, reason: 'x', message: 'x' } }],
  ])('is not made while %s', async (_, holder) => {
    const world = createHealthWorld()
    world.holder = holder
    world.look(CHECK)
    await world.clock.settle()
    expect(world.kube.calls).toEqual([])
  })
})
