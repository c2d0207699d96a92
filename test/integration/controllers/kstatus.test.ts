/** What GitOps tools make of every state that pools, instances and leases go through; and that applying twice changes nothing. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { KubeObject } from '../../../src/api/resource.ts'
import { type KStatus, type KStatusObject, kstatus } from '../../support/kstatus.ts'
import {
  CLUSTER_INSTANCES,
  CLUSTER_LEASES,
  CLUSTER_POOLS,
  createOperatorWorld,
  type OperatorWorld,
  startWorldHost,
  type WorldHost,
} from '../../support/operator-world.ts'

let host: WorldHost
beforeAll(async () => {
  host = await startWorldHost()
})
afterAll(() => host.stop())

interface Seen {
  readonly name: string
  readonly phase: string
  readonly read: KStatus
}

/** Every state of every object from now on; an object without a status was not looked at yet. */
function follow(world: OperatorWorld): Seen[] {
  const seen: Seen[] = []
  const { pools, instances, leases } = world.caches
  const record = ({ type, object }: { type: string; object: Readonly<KubeObject & KStatusObject> }) => {
    const status = object.status as { phase?: string } | undefined
    if (status === undefined) return
    const read = kstatus(type === 'DELETED' ? undefined : object)
    seen.push({ name: object.metadata.name ?? '', phase: status.phase ?? '-', read })
  }
  pools.on(record)
  instances.on(record)
  leases.on(record)
  return seen
}

const readingsOf = (seen: readonly Seen[], name: string, phase?: string): Set<KStatus> =>
  new Set(
    seen.filter((one) => one.name === name && (phase === undefined || one.phase === phase)).map(({ read }) => read),
  )
const poolIs = (world: OperatorWorld, read: KStatus) =>
  world.until(`the pool is ${read}`, () => world.pool('a')?.status !== undefined && kstatus(world.pool('a')) === read)

describe('kstatus', () => {
  it('of a pool: InProgress while filling and rolling, Current when settled, Terminating, NotFound', async () => {
    await using world = await createOperatorWorld(host)
    const seen = follow(world)
    await world.makePool('a', { size: 2 })
    await world.untilWarm('a', 2)
    await poolIs(world, 'Current')
    expect(seen.find(({ name }) => name === 'a')?.read).toBe('InProgress')
    const before = seen.length
    await world.patchPool('a', { cluster: { version: 'v1.36.0' } })
    await world.until('it is rolled', () =>
      world.inPhase('a', 'Ready').every(({ status }) => status?.createdWith?.cluster?.version === 'v1.36.0'),
    )
    await world.untilWarm('a', 2)
    await poolIs(world, 'Current')
    expect(readingsOf(seen.slice(before), 'a')).toEqual(new Set(['InProgress', 'Current']))
    const rolling = seen.slice(before).filter(({ name }) => name === 'a')
    expect(rolling.map(({ read }) => read).lastIndexOf('InProgress')).toBeLessThan(rolling.length - 1)
    await host.client.delete(CLUSTER_POOLS, { name: 'a', namespace: world.namespace })
    await world.until('it is gone', () => world.pool('a') === undefined)
    await world.quiet()
    expect(seen.filter(({ name }) => name === 'a').at(-1)?.read).toBe('NotFound')
    expect(readingsOf(seen, 'a')).toContain('Terminating')
    expect(readingsOf(seen, 'a')).not.toContain('Failed')
  })

  it('of a stalled pool is Failed, of one in backoff InProgress', async () => {
    await using world = await createOperatorWorld(host)
    const seen = follow(world)
    await world.makePool('a', { size: 1, upgradePolicy: { maxSurge: 0 } })
    await world.untilWarm('a', 1)
    await world.patchPool('a', { cluster: { version: 'v1.36.0' } })
    await poolIs(world, 'Failed')
    await world.patchPool('a', { upgradePolicy: { maxSurge: 1 } })
    await world.until('it is rolled', () =>
      world.inPhase('a', 'Ready').some(({ status }) => status?.createdWith?.cluster?.version === 'v1.36.0'),
    )
    await poolIs(world, 'Current')
    world.backend.setState('pool-b-1', { state: 'Failed', message: 'broken' })
    await world.makePool('b', { size: 1 })
    await world.until('it failed', () => (world.pool('b')?.status?.consecutiveFailures ?? 0) > 0)
    expect(kstatus(world.pool('b'))).toBe('InProgress')
    expect(readingsOf(seen, 'b')).not.toContain('Failed')
    expect(readingsOf(seen, 'pool-b-1', 'Failed')).toEqual(new Set(['Failed']))
  })

  it('of instances and leases: InProgress until usable, Current while in use, Failed once a lease is over', async () => {
    await using world = await createOperatorWorld(host)
    const seen = follow(world)
    await world.makePool('a', { size: 1 })
    await world.untilWarm('a', 1)
    const lease = await world.makeLease('a', { ttl: '5m' })
    const name = lease.metadata.name!
    const bound = await world.untilBound(name)
    expect(kstatus(bound)).toBe('Current')
    expect(kstatus(world.instance(bound.status?.clusterName ?? ''))).toBe('Current')
    world.clock.skip(301_000)
    await world.until('it has expired', () => world.lease(name)?.status?.phase === 'Expired')
    expect(kstatus(world.lease(name))).toBe('Failed')
    expect(readingsOf(seen, 'pool-a-1', 'Creating')).toEqual(new Set(['InProgress']))
    expect(readingsOf(seen, 'pool-a-1', 'Ready')).toEqual(new Set(['Current']))
    expect(readingsOf(seen, 'pool-a-1', 'Leased')).toEqual(new Set(['Current']))
  })

  it('a spec that is edited and needs nothing done is Current again', async () => {
    await using world = await createOperatorWorld(host)
    await world.makePool('a', { size: 1 })
    await world.untilWarm('a', 1)
    const lease = await world.makeLease('a')
    const name = lease.metadata.name!
    await world.untilBound(name)
    const ref = { name, namespace: world.namespace }
    await host.client.patch(CLUSTER_LEASES, ref, { type: 'merge', body: { spec: { priority: 60 } } })
    await world.until(
      'the lease is Current',
      () => world.lease(name)?.spec.priority === 60 && kstatus(world.lease(name)) === 'Current',
    )
    const [free] = await world.until(
      'a free member',
      () => world.inPhase('a', 'Ready').length > 0 && world.inPhase('a', 'Ready'),
    )
    const instance = { name: free?.metadata.name ?? '', namespace: world.namespace }
    const body = { spec: { healthCheck: { intervalSeconds: 99, failureThreshold: 3 } } }
    await host.client.patch(CLUSTER_INSTANCES, instance, { type: 'merge', body })
    await world.until('the instance is Current', () => {
      const now = world.instance(instance.name)
      return now?.spec.healthCheck?.intervalSeconds === 99 && kstatus(now) === 'Current'
    })
  })
})

describe('applying a pool server-side', () => {
  it('a second time changes nothing, also after the operator has written its status', async () => {
    await using world = await createOperatorWorld(host)
    const ref = { name: 'a', namespace: world.namespace }
    const body = {
      apiVersion: 'kobe.kunobi.ninja/v1alpha1',
      kind: 'ClusterPool',
      metadata: ref,
      spec: {
        size: 1,
        backend: { type: 'k3s' },
        cluster: { version: 'v1.35.0' },
        addons: [{ name: 'x', manifest: '' }],
      },
    }
    const apply = () =>
      host.client.patch(CLUSTER_POOLS, ref, { type: 'apply', body }, { fieldManager: 'gitops', force: true })
    const first = await apply()
    expect((await apply()).metadata.generation).toBe(first.metadata.generation)
    await world.untilWarm('a', 1)
    await poolIs(world, 'Current')
    await world.quiet()
    const settled = await host.client.get(CLUSTER_POOLS, ref)
    const again = await apply()
    expect(again.metadata.resourceVersion).toBe(settled.metadata.resourceVersion)
    expect(again.metadata.generation).toBe(first.metadata.generation)
    expect(again.status).toEqual(settled.status)
  })
})
