/** Leases: bound two-sidedly and fenced, queued with a reason, ended in every way there is. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SECRETS } from '../../../src/api/core-resources.ts'
import { withAccessPolicyDefaults } from '../../../src/api/v1alpha1/defaults.ts'
import { connectTokenSecretName } from '../../../src/api/v1alpha1/labels.ts'
import { ACCESS_POLICIES } from '../../../src/api/v1alpha1/resources.ts'
import { lookAtLease } from '../../../src/controllers/lease/look.ts'
import { planLease } from '../../../src/core/lease/plan-lease.ts'
import { describeWrite } from '../../support/faulty-client.ts'
import {
  CLUSTER_INSTANCES,
  CLUSTER_LEASES,
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

const waiting = (world: OperatorWorld) => world.caches.leases.list().filter(({ status }) => status?.phase === 'Pending')
const bound = (world: OperatorWorld) => world.caches.leases.list().filter(({ status }) => status?.phase === 'Bound')

describe('a look at a lease that waits', () => {
  it('finds what the controller finds: the pool, the queue, the quota, and why it waits', async () => {
    await using world = await createOperatorWorld(host)
    await world.makePool('a', { size: 1, scaling: { minReady: 1, maxClusters: 1 } })
    await world.untilWarm('a', 1)
    const first = await world.makeLease('a')
    await world.untilBound(first.metadata.name!)
    const { name = '' } = (await world.makeLease('a')).metadata
    const told = await world.until('its reason', () => world.lease(name)?.status?.message)
    const { deps } = world.operator()
    const observed = await lookAtLease(deps, { namespace: world.namespace, name })
    expect(observed?.pending).toHaveLength(1)
    expect(planLease(observed!, world.clock.now())).toMatchObject({ actions: [], notes: [{ message: told }] })
    const held = await lookAtLease(deps, { namespace: world.namespace, name: first.metadata.name! })
    expect(held).toMatchObject({ bound: { state: 'found' }, connectTokenExists: true })
    expect(await lookAtLease(deps, { namespace: world.namespace, name: 'missing' })).toBeUndefined()
  })
})

describe('a binding', () => {
  it('is written on both sides with one id, and has a token of 64 hex digits that the lease owns', async () => {
    await using world = await createOperatorWorld(host)
    await world.makePool('a', { size: 1 })
    await world.untilWarm('a', 1)
    const made = await world.makeLease('a')
    const lease = await world.untilBound(made.metadata.name!)
    const member = world.instance(lease.status!.clusterName!)!
    expect(member.status).toMatchObject({
      phase: 'Leased',
      leaseRef: { name: made.metadata.name, uid: made.metadata.uid },
      binding: lease.status!.binding,
    })
    const secret = await host.client.get(SECRETS, {
      name: connectTokenSecretName(made.metadata.name!),
      namespace: world.namespace,
    })
    expect(Buffer.from(secret.data!['token']!, 'base64').toString()).toMatch(/^[0-9a-f]{64}$/)
    expect(secret.metadata.ownerReferences![0]!.uid).toBe(made.metadata.uid)
  })

  it('that loses its member to another writer takes the next one at once', async () => {
    await using world = await createOperatorWorld(host)
    await world.makePool('a', { size: 2 })
    await world.untilWarm('a', 2)
    const { client } = world.operator()
    let stolen = ''
    client.beforeWrite = async ({ verb, kind, name, subresource }) => {
      if (stolen !== '' || kind !== 'ClusterInstance' || subresource !== 'status' || verb !== 'patch') return
      stolen = name
      const body = { status: { phase: 'Recycling' } }
      const ref = { name, namespace: world.namespace }
      await host.client.patch(CLUSTER_INSTANCES, ref, { type: 'merge', body }, { subresource: 'status' })
    }
    const showIt = client.holdWatch('ClusterInstance')
    const made = await world.makeLease('a')
    const lease = await world.untilBound(made.metadata.name!)
    expect(stolen).toMatch(/^pool-a-/)
    expect(lease.status!.clusterName).not.toBe(stolen)
    // One lost write, although its cache still shows the stolen member as free.
    const lost = client.writes.filter(({ failed }) => failed === 'Conflict').map(describeWrite)
    expect(lost).toEqual(['patch ClusterInstance/status -> Conflict'])
    showIt()
    await world.until('the pool is warm again', () => world.inPhase('a', 'Ready').length === 2)
    expect(world.history.violations).toEqual([])
  })

  it('never lets the token of an earlier lease of the same name in', async () => {
    await using world = await createOperatorWorld(host)
    await world.makePool('a', { size: 1 })
    await world.untilWarm('a', 1)
    const { client } = world.operator()
    let planted = false
    client.beforeWrite = async ({ verb, kind, name }) => {
      if (planted || verb !== 'create' || kind !== 'Secret') return
      planted = true
      await host.client.create(SECRETS, {
        metadata: { name, namespace: world.namespace },
        type: 'Opaque',
        data: { token: Buffer.from('0'.repeat(64)).toString('base64') },
      })
    }
    const made = await world.makeLease('a')
    await world.untilBound(made.metadata.name!)
    const name = connectTokenSecretName(made.metadata.name!)
    const secret = await host.client.get(SECRETS, { name, namespace: world.namespace })
    expect(planted).toBe(true)
    expect(secret.metadata.ownerReferences?.[0]?.uid).toBe(made.metadata.uid)
    expect(secret.data!['token']).not.toBe(Buffer.from('0'.repeat(64)).toString('base64'))
  })

  it('gets its token back when somebody deletes the Secret', async () => {
    await using world = await createOperatorWorld(host)
    await world.makePool('a', { size: 1 })
    await world.untilWarm('a', 1)
    const made = await world.makeLease('a')
    await world.untilBound(made.metadata.name!)
    const name = connectTokenSecretName(made.metadata.name!)
    const first = await world.until('it is there', () => world.caches.secrets.get(world.namespace, name))
    await host.client.delete(SECRETS, { name, namespace: world.namespace })
    await world.until('there is another', () => {
      const uid = world.caches.secrets.get(world.namespace, name)?.metadata.uid
      return uid !== undefined && uid !== first.metadata.uid
    })
  })
})

describe('a queue', () => {
  it('of 20 parallel leases on 5 members binds 5 distinct ones; the others wait with reason and place, and follow as members come', async () => {
    await using world = await createOperatorWorld(host)
    // At most 15 members in all: 5 more leases than the ceiling.
    await world.makePool('a', { size: 5 })
    await world.untilWarm('a', 5)
    const made = await Promise.all(Array.from({ length: 20 }, () => world.makeLease('a')))
    await world.until('the ceiling is reached', () => bound(world).length === 15)
    await world.until('those that wait are told why', () => {
      const all = waiting(world)
      const places = all.map(({ status }) => status?.queuePosition ?? 0).sort()
      // Exact for the next three; further back it may be overstated, to save writes.
      const placed = places.slice(0, 3).join() === '1,2,3' && places.every((at, n) => at > n)
      return (
        placed && all.length === 5 && all.every(({ status }) => status?.message?.includes('every member is in use'))
      )
    })
    const names = bound(world).map(({ status }) => status!.clusterName)
    expect(new Set(names).size).toBe(15)
    for (const lease of bound(world)) await world.release(lease.metadata.name!)
    await world.until('everybody had a member', () =>
      made.every(({ metadata }) => world.history.bindings.has(metadata.uid!)),
    )
    for (const instances of world.history.bindings.values()) expect(instances).toHaveLength(1)
    expect(world.history.violations).toEqual([])
  })

  it('ends a lease that waited for longer than queueTimeout, and says why for five minutes', async () => {
    await using world = await createOperatorWorld(host, { backend: { maxMembers: 0 } })
    await world.makePool('a', { size: 1, queueTimeout: '10m' })
    const made = await world.makeLease('a')
    const name = made.metadata.name!
    await world.until('it is told that the host is full', () => world.lease(name)?.status?.message?.includes('no room'))
    world.clock.skip(8 * 60_000)
    await world.quiet()
    expect(world.lease(name)!.status!.phase).toBe('Pending')
    world.clock.skip(130_000)
    const ended = await world.until('it has ended', () => {
      const lease = world.lease(name)
      return lease?.status?.phase === 'Expired' && lease
    })
    expect(ended.status!.conditions!.find(({ type }) => type === 'Bound')!.reason).toBe('QueueTimeout')
    world.clock.skip(290_000)
    await world.quiet()
    expect(world.lease(name)).toBeDefined()
    world.clock.skip(20_000)
    await world.until('it is gone', () => world.lease(name) === undefined)
  })

  it('moves up when a lease in it is deleted', async () => {
    await using world = await createOperatorWorld(host, { backend: { maxMembers: 0 } })
    await world.makePool('a', { size: 1 })
    const first = await world.makeLease('a')
    await world.until('it is first', () => world.lease(first.metadata.name!)?.status?.queuePosition === 1)
    const second = await world.makeLease('a')
    await world.until('the other is second', () => world.lease(second.metadata.name!)?.status?.queuePosition === 2)
    await host.client.delete(CLUSTER_LEASES, { name: first.metadata.name!, namespace: world.namespace })
    await world.until('it moved up', () => world.lease(second.metadata.name!)?.status?.queuePosition === 1)
  })
})

describe('a quota', () => {
  const policy = (namespace: string, maxConcurrentLeases: number) =>
    withAccessPolicyDefaults({
      metadata: { name: 'ci', namespace },
      spec: {
        auth: { token: { secretRef: 'ci-token' } },
        identity: '{sub}',
        rules: [{ pools: ['*'], maxTtl: '4h', maxConcurrentLeases, maxExtensions: 2 }],
      },
    })

  it('is never exceeded, however many leases of one requester come at once; over all its pools', async () => {
    await using world = await createOperatorWorld(host)
    await host.client.create(ACCESS_POLICIES, policy(world.namespace, 2))
    await world.makePool('a', { size: 4 })
    await world.makePool('b', { size: 1 })
    await world.untilWarm('a', 4)
    await world.untilWarm('b', 1)
    let most = 0
    world.caches.leases.on(() => {
      most = Math.max(most, bound(world).length)
    })
    await Promise.all(Array.from({ length: 6 }, () => world.makeLease('a')))
    await world.until('the others are told', () => {
      const told = waiting(world).filter(({ status }) => status?.message?.includes('as many leases as it may'))
      return told.length === 4 && bound(world).length === 2
    })
    const other = await world.makeLease('b', { priority: 90 })
    await world.until('it waits too', () => world.lease(other.metadata.name!)?.status?.message?.includes('as it may'))
    for (const { metadata } of waiting(world)) {
      if (metadata.name !== other.metadata.name) await world.release(metadata.name!)
    }
    await world.release(bound(world)[0]!.metadata.name!)
    await world.untilBound(other.metadata.name!)
    expect(most).toBe(2)
    const last = await world.makeLease('a')
    await world.until('it waits', () => world.lease(last.metadata.name!)?.status?.message?.includes('as it may'))
    await host.client.patch(
      ACCESS_POLICIES,
      { name: 'ci', namespace: world.namespace },
      { type: 'merge', body: { spec: policy(world.namespace, 3).spec } },
    )
    await world.untilBound(last.metadata.name!)
    expect(world.history.violations).toEqual([])
  })
})

describe('the end of a lease', () => {
  const endings: [string, (world: OperatorWorld, lease: string) => unknown, object?][] = [
    ['released by its requester', (world, lease) => world.release(lease)],
    ['deleted by hand', (world, name) => host.client.delete(CLUSTER_LEASES, { name, namespace: world.namespace })],
    ['expired by the clock', (world) => world.clock.skip(3_601_000)],
    ['left without heartbeats', (world) => world.clock.skip(301_000), { idleTimeout: '5m' }],
  ]
  for (const [how, end, spec] of endings) {
    it(`${how}: the token goes, the member is destroyed and replaced`, async () => {
      await using world = await createOperatorWorld(host)
      await world.makePool('a', { size: 1 })
      await world.untilWarm('a', 1)
      const made = await world.makeLease('a', spec)
      const lease = await world.untilBound(made.metadata.name!)
      const member = lease.status!.clusterName!
      await world.until('the pool is warm beside it', () => world.inPhase('a', 'Ready').length === 1)
      await end(world, made.metadata.name!)
      await world.until('the member is gone', () => world.instance(member) === undefined)
      await world.until(
        'the token is gone',
        () => world.caches.secrets.get(world.namespace, connectTokenSecretName(made.metadata.name!)) === undefined,
      )
      expect(world.backend.world.has(member)).toBe(false)
      await world.untilWarm('a', 1)
      expect(world.history.violations).toEqual([])
      expect(world.logs.filter(({ level }) => level === 'error')).toEqual([])
    })
  }

  it('comes when its member is forced away: the lease is told that the instance vanished', async () => {
    await using world = await createOperatorWorld(host)
    await world.makePool('a', { size: 1 })
    await world.untilWarm('a', 1)
    const made = await world.makeLease('a')
    const lease = await world.untilBound(made.metadata.name!)
    const ref = { name: lease.status!.clusterName!, namespace: world.namespace }
    await host.client.delete(CLUSTER_INSTANCES, ref)
    const finalizers = { metadata: { finalizers: null } }
    await host.client.patch(CLUSTER_INSTANCES, ref, { type: 'merge', body: finalizers })
    const ended = await world.until('it has ended', () => {
      const now = world.lease(made.metadata.name!)
      return now?.status?.phase === 'Released' && now
    })
    expect(ended.status!.message).toContain('is gone')
    await world.until('the pool is warm', () => world.inPhase('a', 'Ready').length === 1)
  })

  it('is what a leased instance that was deleted by hand waits for', async () => {
    await using world = await createOperatorWorld(host)
    await world.makePool('a', { size: 1 })
    await world.untilWarm('a', 1)
    const made = await world.makeLease('a')
    const lease = await world.untilBound(made.metadata.name!)
    const member = lease.status!.clusterName!
    await host.client.delete(CLUSTER_INSTANCES, { name: member, namespace: world.namespace })
    await world.until('its deletion has begun', () => world.instance(member)?.metadata.deletionTimestamp)
    await world.until('the replacement is Ready', () => world.inPhase('a', 'Ready').length === 1)
    await world.quiet()
    expect(world.instance(member)!.status!.phase).toBe('Leased')
    expect(world.backend.world.has(member)).toBe(true)
    await world.release(made.metadata.name!)
    await world.until('it is gone', () => world.instance(member) === undefined)
    expect(world.backend.world.has(member)).toBe(false)
    expect(world.history.violations).toEqual([])
  })
})
