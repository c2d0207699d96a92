import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { HOST_KINDS, type HostUnderTest } from '../../support/host-under-test.ts'
import { hasKubectl } from '../../support/run.ts'
import { deployment } from './manifests.ts'
import { startSim } from './sim.ts'

const embedded = HOST_KINDS[0]!

describe.skipIf(!hasKubectl)('a simulated world that is stopped and started again', () => {
  let host: HostUnderTest
  beforeAll(async () => {
    host = await embedded.start()
  })
  afterAll(() => host?.stop())

  it('goes on where it was: same boot IDs, no pod started again, and what changed meanwhile is caught up with', async () => {
    let boots: string[]
    let pods: Array<string | undefined>
    {
      await using sim = await startSim(host, { nodes: 2 })
      await sim.kubectl('wait', '--for=condition=Ready', 'node', '--all', '--timeout=10s')
      await sim.apply(deployment('web', 3))
      await sim.kubectl('rollout', 'status', 'deployment/web', '--timeout=20s')
      boots = await bootIds(sim)
      pods = (await sim.pods('app=web')).map(({ metadata }) => metadata.uid)
      expect(sim.errors).toEqual([])
    }
    await using sim = await startSim(host, { nodes: 2, controllers: [] })
    await sim.kubectl('scale', 'deployment/web', '--replicas=4')
    await using again = await startSim(host, { nodes: 3 })
    await again.kubectl('rollout', 'status', 'deployment/web', '--timeout=20s')
    const now = await again.pods('app=web')
    expect(now).toHaveLength(4)
    expect(now.map(({ metadata }) => metadata.uid)).toEqual(expect.arrayContaining(pods))
    expect(now.every(({ status }) => status?.containerStatuses?.[0]?.restartCount === 0)).toBe(true)
    await again.kubectl('wait', '--for=condition=Ready', 'node', '--all', '--timeout=10s')
    expect((await bootIds(again)).slice(0, 2)).toEqual(boots)
    expect(again.errors).toEqual([])
  })
})

async function bootIds(sim: Awaited<ReturnType<typeof startSim>>): Promise<string[]> {
  const { items } = await sim.get('nodes')
  return items.map(({ status }: { status: { nodeInfo: { bootID: string } } }) => status.nodeInfo.bootID)
}
