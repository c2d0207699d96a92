import { afterEach, describe, expect, it } from 'vitest'
import { FakeClock } from '../../test/support/fake-clock.ts'
import { createMemoryKube, type MemoryKube } from '../../test/support/memory-kube.ts'
import { EVENTS } from '../api/core-resources.ts'
import { KubeError, type KubeErrorCode } from './errors.ts'
import { createEventRecorder, type EventRecorder, type EventRecorderOptions } from './event-recorder.ts'

const POOL = {
  apiVersion: 'kobe.kunobi.ninja/v1alpha1',
  kind: 'ClusterPool',
  metadata: { name: 'ci', namespace: 'kobe-system', uid: 'u1', resourceVersion: '7' },
}
const CREATED = { type: 'Normal', reason: 'MemberCreated', message: 'created pool-ci-1, 1 of 2' } as const

let open: EventRecorder[] = []
afterEach(() => {
  for (const recorder of open) recorder.close()
  open = []
})

function make(options: Partial<EventRecorderOptions> = {}, kube: MemoryKube = createMemoryKube()) {
  const clock = new FakeClock()
  const dropped: string[] = []
  const recorder = createEventRecorder({
    client: kube,
    component: 'kobe-operator',
    instance: 'host-1',
    clock,
    random: () => 0,
    hooks: { dropped: (reason) => dropped.push(reason) },
    ...options,
  })
  open.push(recorder)
  const events = async () => (await kube.list(EVENTS)).items
  return { clock, kube, recorder, dropped, events }
}

describe('an event recorder', () => {
  it('writes what kubectl describe and kubectl events look for', async () => {
    const { recorder, events } = make()
    recorder.record(POOL, CREATED)
    await recorder.flush()
    expect(await events()).toMatchObject([
      {
        metadata: { namespace: 'kobe-system', name: expect.stringMatching(/^ci\.[0-9a-f]{16}$/) },
        involvedObject: {
          apiVersion: 'kobe.kunobi.ninja/v1alpha1',
          kind: 'ClusterPool',
          namespace: 'kobe-system',
          name: 'ci',
          uid: 'u1',
          resourceVersion: '7',
        },
        ...CREATED,
        count: 1,
        firstTimestamp: '2026-01-01T00:00:00Z',
        lastTimestamp: '2026-01-01T00:00:00Z',
        source: { component: 'kobe-operator' },
        reportingComponent: 'kobe-operator',
        reportingInstance: 'host-1',
      },
    ])
  })

  it('puts events about cluster-scoped objects into the namespace default', async () => {
    const { recorder, events } = make()
    recorder.record({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1', uid: 'u2' } }, CREATED)
    await recorder.flush()
    const [event] = await events()
    expect(event).toMatchObject({ metadata: { namespace: 'default' }, involvedObject: { kind: 'Node', name: 'n1' } })
    expect(event?.involvedObject).not.toHaveProperty('namespace')
  })

  it('counts a repetition on the event that is there, whether it was written or waits', async () => {
    const { clock, recorder, events } = make()
    recorder.record(POOL, CREATED)
    recorder.record(POOL, CREATED)
    await recorder.flush()
    await clock.advance(30_000)
    recorder.record(POOL, CREATED)
    await recorder.flush()
    const [event, ...more] = await events()
    expect(more).toEqual([])
    expect(event).toMatchObject({
      count: 3,
      firstTimestamp: '2026-01-01T00:00:00Z',
      lastTimestamp: '2026-01-01T00:00:30Z',
    })
  })

  it.each([
    ['reason', { ...CREATED, reason: 'Other' }, POOL],
    ['message', { ...CREATED, message: 'other' }, POOL],
    ['type', { ...CREATED, type: 'Warning' as const }, POOL],
    ['object', CREATED, { ...POOL, metadata: { ...POOL.metadata, uid: 'u9' } }],
  ])('writes an event of its own for another %s', async (_, content, about) => {
    const { recorder, events } = make()
    recorder.record(POOL, CREATED)
    recorder.record(about, content)
    await recorder.flush()
    expect((await events()).map(({ count }) => count)).toEqual([1, 1])
  })

  it('begins a new event when the old one has expired', async () => {
    const { kube, recorder, events } = make()
    recorder.record(POOL, CREATED)
    await recorder.flush()
    const [old] = await events()
    await kube.delete(EVENTS, { namespace: 'kobe-system', name: old!.metadata.name! })
    recorder.record(POOL, CREATED)
    await recorder.flush()
    expect((await events()).map(({ count }) => count)).toEqual([1])
  })

  it('lets one object have 25 events at once and then one in five minutes, without harm to others', async () => {
    const { clock, recorder, dropped, events } = make()
    for (let n = 0; n < 40; n++) recorder.record(POOL, { ...CREATED, message: `event ${n}` })
    recorder.record({ ...POOL, metadata: { name: 'other', namespace: 'kobe-system', uid: 'u3' } }, CREATED)
    await recorder.flush()
    expect(await events()).toHaveLength(26)
    expect(dropped).toHaveLength(15)
    await clock.advance(300_000)
    recorder.record(POOL, { ...CREATED, message: 'later' })
    recorder.record(POOL, { ...CREATED, message: 'too many again' })
    await recorder.flush()
    expect(await events()).toHaveLength(27)
  })

  it('drops what does not fit into the queue, and never throws', () => {
    const kube = createMemoryKube()
    kube.beforeCall = () => new Promise(() => undefined)
    const { recorder, dropped } = make({ queueSize: 3 }, kube)
    for (let n = 0; n < 10; n++) recorder.record({ ...POOL, metadata: { name: `p${n}`, uid: `u${n}` } }, CREATED)
    expect(dropped).toEqual(Array(7).fill('queue'))
  })

  it('holds its reports until nothing was recorded for 100 ms, for three seconds at most', async () => {
    const { clock, recorder, events } = make()
    recorder.record(POOL, CREATED)
    await clock.advance(99)
    expect(await events()).toHaveLength(0)
    await clock.advance(1)
    expect(await events()).toHaveLength(1)
    for (let n = 0; n < 59; n++) {
      recorder.record({ ...POOL, metadata: { name: `p${n}`, uid: `u${n}` } }, CREATED)
      await clock.advance(50)
    }
    expect(await events()).toHaveLength(1)
    await clock.advance(50)
    expect((await events()).length).toBeGreaterThan(1)
  })

  it('tries again while the server cannot be reached', async () => {
    const { clock, kube, recorder, events } = make()
    let failures = 0
    kube.beforeCall = ({ verb }) => {
      if (verb === 'create' && failures++ < 5) throw new KubeError('Unreachable', 'refused')
    }
    recorder.record(POOL, CREATED)
    await clock.advance(60_000)
    await recorder.flush()
    expect(await events()).toHaveLength(1)
  })

  it('writes one event when the answer to the first attempt is lost', async () => {
    const kube = createMemoryKube()
    let answers = 0
    const { clock, recorder, events } = make(
      {
        client: {
          ...kube,
          async create(type, object) {
            const created = await kube.create(type, object)
            if (answers++ === 0) throw new KubeError('Unreachable', 'reset')
            return created
          },
        },
      },
      kube,
    )
    recorder.record(POOL, CREATED)
    await clock.advance(5_000)
    await recorder.flush()
    expect(await events()).toHaveLength(1)
  })

  it.each<KubeErrorCode>(['Forbidden', 'NotFound', 'Invalid'])('gives up at once on %s, and goes on', async (code) => {
    const { kube, recorder, dropped, events } = make()
    kube.beforeCall = () => {
      kube.beforeCall = undefined
      throw new KubeError(code, 'the namespace is terminating')
    }
    recorder.record(POOL, CREATED)
    recorder.record(POOL, { ...CREATED, reason: 'Next' })
    await recorder.flush()
    expect(dropped).toEqual(['refused'])
    expect((await events()).map(({ reason }) => reason)).toEqual(['Next'])
  })

  it('cuts a long message and a long name to what the API takes', async () => {
    const { recorder, events } = make()
    const about = { ...POOL, metadata: { ...POOL.metadata, name: 'n'.repeat(253) } }
    recorder.record(about, { ...CREATED, message: 'm'.repeat(3000) })
    await recorder.flush()
    const [event] = await events()
    expect(event!.message).toHaveLength(1024)
    expect(event!.metadata.name!.length).toBeLessThanOrEqual(253)
  })

  it('does not hold up a shutdown for more than five seconds when the server is away', async () => {
    const kube = createMemoryKube()
    kube.beforeCall = () => {
      throw new KubeError('Unreachable', 'refused')
    }
    const { clock, recorder } = make({}, kube)
    recorder.record(POOL, CREATED)
    let isFlushed = false
    const flushing = recorder.flush().then(() => {
      isFlushed = true
    })
    await clock.advance(4_999)
    expect(isFlushed).toBe(false)
    await clock.advance(1)
    await flushing
    recorder.close()
    await clock.settle()
    expect(clock.pending).toBe(0)
  })

  it('is silent after close', async () => {
    const { clock, recorder, events } = make()
    recorder.close()
    recorder.record(POOL, CREATED)
    await recorder.flush()
    expect(await events()).toEqual([])
    expect(clock.pending).toBe(0)
  })
})
