/** What every provider keeps to. Run by the tests of each provider with a harness of its own. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  type ClusterTarget,
  isProviderError,
  type Machine,
  type MachineRequest,
  type Provider,
} from '../../src/providers/provider.ts'
import { untilTrue } from './until.ts'

export interface ProviderHarness {
  /** A new instance over the same cloud: what an operator has after a restart. */
  open(): Provider
  /** A cluster of its own, without machines. */
  cluster(name: string): Promise<ClusterTarget>
  /** From now on machines of this offering find no room, or do again. */
  full(cluster: ClusterTarget, offering: string, isFull: boolean): Promise<void>
  /** The next calls are answered with "too many requests", until called with false. */
  throttle(cluster: ClusterTarget, isThrottled: boolean): Promise<void>
  close(): Promise<void>
}

const deadlineMs = 20_000
let serial = 0

const request = (name: string, changes: Partial<MachineRequest> = {}): MachineRequest => ({
  name,
  type: 'worker',
  group: 'workers',
  settings: { offering: 'small', rootDiskSizeGB: 20, affinityGroups: ['a'] },
  zone: 'z1',
  ...changes,
})

export function providerContract(title: string, createHarness: () => Promise<ProviderHarness>): void {
  describe(`contract of a provider: ${title}`, () => {
    let harness: ProviderHarness
    let provider: Provider
    let cluster: ClusterTarget
    beforeAll(async () => {
      harness = await createHarness()
    })
    afterAll(() => harness.close())
    beforeEach(async () => {
      provider = harness.open()
      cluster = await harness.cluster(`c-${++serial}`)
    })

    const all = () => provider.listMachines(cluster)
    const find = async (id: string) => (await all()).find((machine) => machine.id === id)
    const until = async (id: string, state: Machine['state']): Promise<Machine> => {
      await untilTrue(async () => (await find(id))?.state === state, `${id} is ${state}`, deadlineMs)
      return (await find(id))!
    }
    const running = async (name: string, changes: Partial<MachineRequest> = {}): Promise<Machine> => {
      const [made] = await provider.createMachines(cluster, [request(name, changes)])
      return await until(made!.id, 'Running')
    }
    const stopped = async (name: string): Promise<Machine> => {
      const { id } = await running(name)
      await provider.stop(cluster, id)
      return await until(id, 'Stopped')
    }
    const codeOf = async (call: Promise<unknown>): Promise<string> =>
      call.then(
        () => 'no error',
        (error: unknown) => (isProviderError(error) ? error.code : `another error: ${String(error)}`),
      )

    test('a machine is made once for a name, as it was asked for', async () => {
      const machine = await running('w1')
      expect(machine).toMatchObject({ name: 'w1', type: 'worker', group: 'workers', zone: 'z1', nodeName: 'w1' })
      expect(machine.settings).toEqual({ offering: 'small', rootDiskSizeGB: 20, affinityGroups: ['a'] })
      const [again] = await provider.createMachines(cluster, [request('w1', { zone: 'z2' })])
      expect(again).toEqual(machine)
      expect(await all()).toHaveLength(1)
    })

    test('clusters do not see each other’s machines', async () => {
      await running('w1')
      expect(await provider.listMachines(await harness.cluster(`c-${++serial}`))).toEqual([])
    })

    test('stop, change and start end in a running machine with the same id and new settings', async () => {
      const { id } = await stopped('w1')
      const changed = await provider.applySettings(cluster, id, { offering: 'large', rootDiskSizeGB: 40 })
      expect(changed.settings).toEqual({ offering: 'large', rootDiskSizeGB: 40, affinityGroups: ['a'] })
      await provider.start(cluster, id)
      expect(await until(id, 'Running')).toMatchObject({ id, name: 'w1', settings: { offering: 'large' } })
    })

    test('every call may be repeated', async () => {
      const { id } = await running('w1')
      await provider.stop(cluster, id)
      await provider.stop(cluster, id)
      await until(id, 'Stopped')
      expect((await provider.stop(cluster, id)).state).toBe('Stopped')
      const settings = { affinityGroups: ['b', 'a'] }
      await provider.applySettings(cluster, id, settings)
      expect((await provider.applySettings(cluster, id, settings)).settings.affinityGroups).toEqual(['b', 'a'])
      await provider.start(cluster, id)
      await provider.start(cluster, id)
      await until(id, 'Running')
      expect((await provider.start(cluster, id)).state).toBe('Running')
      await provider.terminate(cluster, id)
      await untilTrue(async () => (await provider.terminate(cluster, id)) === undefined, 'it is gone', deadlineMs)
      expect(await provider.terminate(cluster, id)).toBeUndefined()
      expect(await all()).toEqual([])
    })

    test('another instance goes on where the last one was', async () => {
      const { id } = await running('w1')
      await provider.stop(cluster, id)
      provider = harness.open()
      await provider.stop(cluster, id)
      await until(id, 'Stopped')
      provider = harness.open()
      expect((await provider.start(cluster, id)).state).toMatch(/Starting|Running/)
      await until(id, 'Running')
    })

    test('settings are changed while the machine is stopped only; those it has already are fine at any time', async () => {
      const { id } = await running('w1')
      expect(await codeOf(provider.applySettings(cluster, id, { offering: 'large' }))).toBe('Conflict')
      expect((await provider.applySettings(cluster, id, { offering: 'small' })).state).toBe('Running')
    })

    test('disks never shrink, and images are not changed in place', async () => {
      const { id } = await stopped('w1')
      expect(await codeOf(provider.applySettings(cluster, id, { rootDiskSizeGB: 10 }))).toBe('Refused')
      expect(await codeOf(provider.applySettings(cluster, id, { image: 'v2' }))).toBe('Refused')
      expect((await find(id))?.settings.rootDiskSizeGB).toBe(20)
    })

    test('a start without room fails, and works with the settings from before', async () => {
      const { id } = await stopped('w1')
      await harness.full(cluster, 'large', true)
      await provider.applySettings(cluster, id, { offering: 'large' })
      const thrown = await codeOf(provider.start(cluster, id))
      if (thrown === 'no error') {
        await untilTrue(async () => (await find(id))?.failure !== undefined, 'the start has failed', deadlineMs)
        expect(await find(id)).toMatchObject({ state: 'Stopped', failure: { code: 'InsufficientCapacity' } })
      } else expect(thrown).toBe('InsufficientCapacity')
      expect((await provider.applySettings(cluster, id, { offering: 'small' })).failure).toBeUndefined()
      await provider.start(cluster, id)
      expect((await until(id, 'Running')).failure).toBeUndefined()
    })

    test('a machine that is not there is NotFound; terminating it is done', async () => {
      for (const call of [
        provider.stop(cluster, 'none'),
        provider.start(cluster, 'none'),
        provider.applySettings(cluster, 'none', {}),
        provider.upgradeMachine(cluster, 'none', 'v1.36.3'),
      ]) {
        expect(await codeOf(call)).toBe('NotFound')
      }
      expect(await provider.terminate(cluster, 'none')).toBeUndefined()
    })

    test('too many requests are told with a wait, and do nothing', async () => {
      const { id } = await running('w1')
      await harness.throttle(cluster, true)
      const error: unknown = await provider.stop(cluster, id).catch((thrown: unknown) => thrown)
      expect(isProviderError(error, 'Throttled') && error.retryAfterMs).toBeGreaterThan(0)
      await harness.throttle(cluster, false)
      expect((await find(id))?.state).toBe('Running')
    })

    test('a version is reached by running machines', async () => {
      const { id } = await running('c1', { type: 'control', group: 'control' })
      await untilTrue(
        async () => (await provider.clusterUpgradeStep(cluster, id, 'v1.37.0')).done,
        'the step is done',
        deadlineMs,
      )
      await untilTrue(
        async () => (await provider.upgradeMachine(cluster, id, 'v1.37.0')).kubernetesVersion === 'v1.37.0',
        'the machine is upgraded',
        deadlineMs,
      )
    })

    test('etcd is that of the control machines, or an external one; its members are those of running machines', async () => {
      const first = await running('c1', { type: 'control', group: 'control' })
      expect(await provider.etcdHealth(cluster)).toMatchObject({
        members: [{ machineId: first.id, healthy: true, voter: true }],
      })
      expect(await provider.serves(cluster, first.id)).toBe(true)
      const external = await running('e1', { type: 'etcd', group: 'etcd' })
      expect(external.nodeName).toBeUndefined()
      await provider.stop(cluster, external.id)
      await until(external.id, 'Stopped')
      expect(await provider.etcdHealth(cluster)).toMatchObject({
        members: [{ machineId: external.id, healthy: false }],
      })
      await provider.stop(cluster, first.id)
      await until(first.id, 'Stopped')
      expect(await provider.serves(cluster, first.id)).toBe(false)
    })

    test('settings that cannot be are told before anything is done', async () => {
      await running('w1')
      const problems = await provider.validateSettings(cluster, 'worker', { rootDiskSizeGB: 10 })
      expect(problems).toMatchObject([{ field: 'rootDiskSizeGB', onlyForExisting: true }])
      expect(await provider.validateSettings(cluster, 'worker', { rootDiskSizeGB: 20, offering: 'large' })).toEqual([])
    })
  })
}
