/** Lives of leases before anything is measured: an operator is not asked in its first seconds, when no code of it has run yet. */
import type { FakeKobe, FakeOperator } from './fake-kobe.ts'

const MEMBERS = 20
const LIVES = 100
const AT_ONCE = 4

export async function warmUp(kobe: FakeKobe, operator: FakeOperator): Promise<void> {
  await kobe.makePool('warm-up', { scaling: { minReady: MEMBERS, maxClusters: 2 * MEMBERS } })
  await kobe.untilReady('warm-up', MEMBERS)
  let left = LIVES
  const live = async (): Promise<void> => {
    for (; left > 0; left -= 1) {
      const { body } = await operator.call('POST', '/v1/leases', { profile: 'warm-up', ttl: '10m' })
      await operator.call('GET', `/v1/leases/${body.id}?wait=30s`)
      await operator.call('DELETE', `/v1/leases/${body.id}`)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, live))
  await kobe.untilReady('warm-up', MEMBERS)
}
