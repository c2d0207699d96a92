/** A fixed pool: warm, replaced, and nothing left behind. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { NAMESPACES, SECRETS } from '../../../src/api/core-resources.ts'
import { Finalizer, kubeconfigSecretName } from '../../../src/api/v1alpha1/labels.ts'
import {
  CLUSTER_INSTANCES,
  CLUSTER_POOLS,
  createOperatorWorld,
  secretsOf,
  startWorldHost,
  type WorldHost,
} from '../../support/operator-world.ts'

let host: WorldHost
beforeAll(async () => {
  host = await startWorldHost()
})
afterAll(() => host.stop())

describe('a fixed pool', () => {
  it('becomes warm: as many Ready members as its size, each with a kubeconfig that only it owns', async () => {
    await using world = await createOperatorWorld(host)
    await world.makePool('a', { size: 3 })
    const members = await world.untilWarm('a', 3)
    expect(members.map(({ metadata }) => metadata.name).sort()).toEqual(['pool-a-1', 'pool-a-2', 'pool-a-3'])
    const pool = await world.until('the status says so', () => {
      const found = world.pool('a')
      return found?.status?.ready === 3 && found
    })
    expect(pool.status).toMatchObject({ phase: 'Healthy', creating: 0, recycling: 0, highestIndex: 3 })
    expect(pool.metadata.finalizers).toContain(Finalizer.poolCleanup)
    await world.until('each has its Secret', () =>
      members.every(({ metadata }) => secretsOf(world, metadata.name!).length === 1),
    )
    expect(world.history.violations).toEqual([])
    expect(world.logs.filter(({ level }) => level === 'error')).toEqual([])
  })

  it('replaces a member on release; a used member never becomes Ready again, and no name is used twice', async () => {
    await using world = await createOperatorWorld(host)
    await world.makePool('a', { size: 2 })
    await world.untilWarm('a', 2)
    for (let round = 0; round < 3; round += 1) {
      const lease = await world.makeLease('a')
      const bound = await world.untilBound(lease.metadata.name!)
      await world.until('the pool is warm beside the lease', () => world.inPhase('a', 'Ready').length === 2)
      await world.release(lease.metadata.name!)
      await world.until('the member is gone', () => world.instance(bound.status!.clusterName!) === undefined)
      expect(world.backend.world.has(bound.status!.clusterName!)).toBe(false)
    }
    await world.untilWarm('a', 2)
    // Two to begin with, and one for each lease.
    expect([...world.history.everSeen.keys()]).toHaveLength(5)
    expect(world.history.violations).toEqual([])
    expect(world.logs.filter(({ level }) => level === 'error')).toEqual([])
  })

  it('sheds the surplus when its size is lowered, and goes on from the highest number when it is raised', async () => {
    await using world = await createOperatorWorld(host)
    await world.makePool('a', { size: 3 })
    await world.untilWarm('a', 3)
    await world.patchPool('a', { size: 1 })
    await world.untilWarm('a', 1)
    await world.patchPool('a', { size: 2 })
    await world.untilWarm('a', 2)
    expect(world.members('a').map(({ metadata }) => metadata.name)).toContain('pool-a-4')
    expect(world.backend.world.size).toBe(2)
    expect(world.history.violations).toEqual([])
  })

  it('repairs a member that was deleted by hand', async () => {
    await using world = await createOperatorWorld(host)
    await world.makePool('a', { size: 2 })
    await world.untilWarm('a', 2)
    await host.client.delete(CLUSTER_INSTANCES, { name: 'pool-a-1', namespace: world.namespace })
    await world.until('it is replaced', () => world.instance('pool-a-1') === undefined && world.instance('pool-a-3'))
    await world.untilWarm('a', 2)
    expect(world.backend.world.has('pool-a-1')).toBe(false)
    expect(world.history.violations).toEqual([])
  })

  for (const use of ['free', 'leased']) {
    it(`publishes the kubeconfig of a ${use} member again when somebody deletes the Secret`, async () => {
      await using world = await createOperatorWorld(host)
      await world.makePool('a', { size: 1 })
      await world.untilWarm('a', 1)
      if (use === 'leased') await world.untilBound((await world.makeLease('a')).metadata.name!)
      const name = kubeconfigSecretName('pool-a-1')
      const first = await world.until('it is there', () => world.caches.secrets.get(world.namespace, name))
      await host.client.delete(SECRETS, { name, namespace: world.namespace })
      const second = await world.until('there is another', () => {
        const found = world.caches.secrets.get(world.namespace, name)
        return found?.metadata.uid !== first.metadata.uid && found
      })
      expect(second.data).toEqual(first.data)
    })
  }

  it('leaves nothing when it is deleted: no member, no Secret, nothing in the backend', async () => {
    await using world = await createOperatorWorld(host)
    await world.makePool('a', { size: 3 })
    await world.untilWarm('a', 3)
    await host.client.delete(CLUSTER_POOLS, { name: 'a', namespace: world.namespace })
    await world.until('all is gone', () => world.pool('a') === undefined && world.members('a').length === 0)
    await world.until('the Secrets are collected', () => world.caches.secrets.list().length === 0)
    expect(world.backend.world.size).toBe(0)
    expect(world.history.violations).toEqual([])
  })

  it('leaves nothing in the backend when its namespace is deleted under it, a leased member included', async () => {
    await using world = await createOperatorWorld(host)
    await world.makePool('a', { size: 2 })
    await world.untilWarm('a', 2)
    await world.untilBound((await world.makeLease('a')).metadata.name!)
    await host.client.delete(NAMESPACES, { name: world.namespace })
    await world.until('all is gone', () => world.pool('a') === undefined && world.members('a').length === 0)
    expect(world.backend.world.size).toBe(0)
    await world.until('the lease too', () => world.caches.leases.list().length === 0)
    expect(world.history.violations).toEqual([])
  })

  it('that is deleted waits for its leased member; leases that wait end, and later ones too', async () => {
    await using world = await createOperatorWorld(host)
    await world.makePool('a', { size: 1, backend: { type: 'k3s' } })
    await world.untilWarm('a', 1)
    const lease = await world.makeLease('a')
    const bound = await world.untilBound(lease.metadata.name!)
    const member = bound.status!.clusterName!
    await host.client.delete(CLUSTER_POOLS, { name: 'a', namespace: world.namespace })
    await world.until('only the leased member is left', () => world.members('a').length === 1)
    const late = await world.makeLease('a')
    await world.until('the late one is told', () => world.lease(late.metadata.name!)?.status?.phase === 'Released')
    expect(world.lease(late.metadata.name!)!.status!.message).toContain('is being deleted')
    expect(world.instance(member)!.status!.phase).toBe('Leased')
    expect(world.backend.world.has(member)).toBe(true)
    await world.release(lease.metadata.name!)
    await world.until('all is gone', () => world.pool('a') === undefined && world.members('a').length === 0)
    expect(world.backend.world.size).toBe(0)
    expect(world.history.violations).toEqual([])
  })
})

describe('a member that a crash left half made', () => {
  it('has its finalizer before anything is made, so deleting it then leaves nothing in the backend', async () => {
    await using world = await createOperatorWorld(host, { idle: true })
    await world.makePool('a', { size: 1 })
    // Writes: pool status, pool finalizer, pool status, instance create.
    const life = await world.start()
    life.client.beforeWrite = ({ verb, kind, subresource }) => {
      if (verb === 'patch' && kind === 'ClusterInstance' && subresource === 'status') life.client.die()
    }
    const half = await world.until('the member exists', () => world.instance('pool-a-1'))
    expect(half.metadata.finalizers).toEqual([Finalizer.instanceCleanup])
    expect(half.status?.createdWith).toBeUndefined()
    expect(world.backend.calls).toEqual([])
    await world.operator().crash()
    await host.client.delete(CLUSTER_INSTANCES, { name: 'pool-a-1', namespace: world.namespace })
    await world.start()
    await world.until('it is gone', () => world.instance('pool-a-1') === undefined)
    const [member] = await world.untilWarm('a', 1)
    expect(member!.metadata.name).toBe('pool-a-2')
    expect([...world.backend.world.keys()]).toEqual(['pool-a-2'])
    expect(world.history.violations).toEqual([])
  })
})
