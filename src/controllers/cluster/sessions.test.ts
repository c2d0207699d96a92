import { describe, expect, it } from 'vitest'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { createMemoryKube } from '../../../test/support/memory-kube.ts'
import { NODES } from '../../api/core-resources.ts'
import { withManagedClusterDefaults } from '../../api/v1alpha1/defaults.ts'
import { KubeError } from '../../kube/errors.ts'
import { silentLog } from '../../kube/log.ts'
import { type ClosableClient, createSessions } from './sessions.ts'

const cluster = withManagedClusterDefaults({
  metadata: { name: 'prod', namespace: 'kobe-system', uid: 'prod-uid' },
  spec: {
    connection: { inCluster: true },
    provider: { type: 'simulated' },
    nodeGroups: [{ name: 'workers', type: 'worker' }],
  },
})

function world() {
  const clock = new FakeClock()
  const kube = createMemoryKube()
  const log: string[] = []
  let isRefused = false
  const cut = new Set<() => void>()
  let number = 0
  const connect = async (): Promise<ClosableClient> => {
    number += 1
    const name = `session ${number}`
    log.push(`${name} opened`)
    return {
      ...kube,
      async *watch(type, options) {
        if (isRefused) throw new KubeError('Unauthorized', 'who are you?', { status: 401 })
        const stopping = new AbortController()
        const stop = (): void => stopping.abort()
        cut.add(stop)
        options.signal?.addEventListener('abort', stop)
        yield* kube.watch(type, { ...options, signal: stopping.signal })
        if (isRefused) throw new KubeError('Unauthorized', 'who are you?', { status: 401 })
      },
      close: () => log.push(`${name} closed`),
    }
  }
  const recorder = { record: () => undefined, flush: async () => undefined, close: () => undefined }
  const sessions = createSessions({ connect, recorderOf: () => recorder, clock, log: silentLog })
  return {
    clock,
    kube,
    log,
    sessions,
    refuse(next: boolean) {
      isRefused = next
      if (next) for (const stop of cut) stop()
    },
  }
}

describe('the session of a cluster', () => {
  it('is one, however many look for it at once', async () => {
    const { sessions, log } = world()
    const [first, second] = await Promise.all([sessions.of(cluster), sessions.of(cluster)])
    expect(first).toBe(second)
    await sessions.close()
    expect(log).toEqual(['session 1 opened', 'session 1 closed'])
  })

  it('is current while its watches are open, and tells when that changes', async () => {
    const { sessions, clock, kube, refuse } = world()
    const told: string[] = []
    sessions.on((key) => told.push(key))
    const session = await sessions.of(cluster)
    await clock.advance(1_000)
    expect(session.isCurrent()).toBe(true)
    refuse(true)
    await clock.settle()
    expect(session.isCurrent()).toBe(false)
    const heard = told.length
    await kube.create(NODES, { metadata: { name: 'w1' } })
    refuse(false)
    await clock.advance(60_000)
    expect([session.isCurrent(), session.nodes.list().length]).toEqual([true, 1])
    expect(told.length).toBeGreaterThan(heard)
    await sessions.close()
  })

  it('watches workloads from the moment somebody asks for them', async () => {
    const { sessions, clock, kube } = world()
    const session = await sessions.of(cluster)
    await clock.advance(1_000)
    expect(kube.calls.map(({ resource }) => resource)).not.toContain('apps/deployments')
    expect(session.workloads()).toBeUndefined()
    await clock.advance(1_000)
    expect(session.workloads()?.deployments.hasSynced()).toBe(true)
    await sessions.close()
  })

  it('is opened anew when it has been behind for a minute: its credentials may be new', async () => {
    const { sessions, clock, log, refuse } = world()
    await sessions.of(cluster)
    await clock.advance(1_000)
    await sessions.of(cluster)
    refuse(true)
    await clock.advance(59_000)
    await sessions.of(cluster)
    expect(log).toEqual(['session 1 opened'])
    refuse(false)
    refuse(true)
    await clock.advance(2_000)
    await sessions.of(cluster)
    expect(log).toEqual(['session 1 opened', 'session 1 closed', 'session 2 opened'])
    await sessions.close()
  })

  it('is opened anew when its cluster is reached in another way', async () => {
    const { sessions, log } = world()
    await sessions.of(cluster)
    const connection = { ...cluster.spec.connection, endpoints: ['https://other.example'] }
    await sessions.of({ ...cluster, spec: { ...cluster.spec, connection } })
    expect(log).toEqual(['session 1 opened', 'session 1 closed', 'session 2 opened'])
    await sessions.forget('kobe-system/prod')
    expect(log.at(-1)).toBe('session 2 closed')
  })
})
