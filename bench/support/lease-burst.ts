/**
 * As many requests as there are warm members, all at once: until the last of them is bound, and what that costs. Asked twice:
 * of an operator that has bound nothing before (`first`), whose code the engine still has to compile, and of one that has.
 */
import type { FakeKobe, FakeOperator } from '../../test/support/fake-kobe/fake-kobe.ts'
import { measureShare } from '../../test/support/processor-share.ts'
import { summarize } from './statistics.ts'

const BURST = 300

export async function measureBurst(kobe: FakeKobe, operator: FakeOperator): Promise<object> {
  const first = await measure(kobe, operator, 'burst-first')
  return { ...(await measure(kobe, operator, 'burst')), first }
}

async function measure(kobe: FakeKobe, operator: FakeOperator, pool: string): Promise<object> {
  await kobe.makePool(pool, { scaling: { minReady: BURST, maxClusters: BURST + 20 } })
  await kobe.untilReady(pool, BURST, 150_000)
  const operatorCpu = async () => (await operator.figures()).cpuMs
  const before = { host: await kobe.hostCpuMs(), operator: await operatorCpu() }
  const shareOf = await measureShare(async () => (await kobe.hostCpuMs()) + (await operatorCpu()))
  const began = performance.now()
  const boundMs = await Promise.all(Array.from({ length: BURST }, () => bind(operator, pool, began)))
  const tookMs = performance.now() - began
  const share = await shareOf()
  const perLease = (after: number, start: number) => Math.round(((after - start) / BURST) * 10) / 10
  return {
    leases: BURST,
    boundMs: summarize(boundMs),
    tookMs: Math.round(tookMs),
    processorShare: Math.round(share * 100) / 100,
    onQuietMachineMs: { all: Math.round(tookMs * share), bound: { all: 3000 } },
    hostCpuMsPerLease: perLease(await kobe.hostCpuMs(), before.host),
    operatorCpuMsPerLease: perLease(await operatorCpu(), before.operator),
  }
}

async function bind(operator: FakeOperator, pool: string, began: number): Promise<number> {
  const { status, body } = await operator.call('POST', '/v1/leases', { profile: pool, ttl: '1h' })
  if (status === 429) {
    await new Promise((resolve) => setTimeout(resolve, 1000))
    return await bind(operator, pool, began)
  }
  for (;;) {
    const lease = await operator.call('GET', `/v1/leases/${body.id}?wait=30s`)
    if (lease.body.phase === 'Bound') return performance.now() - began
  }
}
