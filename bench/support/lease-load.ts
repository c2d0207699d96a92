/** An open loop of lease requests: each starts at its time, so that a slow answer delays no other and hides nothing. */
import type { FakeKobe, FakeOperator } from '../../test/support/fake-kobe/fake-kobe.ts'
import type { OperatorFigures } from '../../test/support/fake-kobe/figures.ts'
import { summarize } from './statistics.ts'

const POOL = 'load'
const WARM = 200

export async function measureLoad(
  kobe: FakeKobe,
  operator: FakeOperator,
  { rate, seconds }: { readonly rate: number; readonly seconds: number },
): Promise<object> {
  await kobe.makePool(POOL, { scaling: { minReady: WARM, maxClusters: 4 * WARM } })
  await kobe.untilReady(POOL, WARM)
  await Promise.all(Array.from({ length: 20 }, () => lifeOf(operator)))
  await kobe.untilReady(POOL, WARM)
  const hostBefore = await kobe.hostCpuMs()
  const cpuBefore = (await operator.figures()).cpuMs
  const started = performance.now()
  const count = rate * seconds
  const lives = await Promise.all(
    Array.from({ length: count }, async (_, index) => {
      await until(started + (index * 1000) / rate)
      return await lifeOf(operator)
    }),
  )
  const took = performance.now() - started
  const figures = await operator.figures()
  const hostCpu = await kobe.hostCpuMs()
  const postMs = lives.flatMap(({ ms }) => ms ?? [])
  const kubeconfig = summarize(postMs)
  const { perLease, byKind } = writesPer(figures, count)
  return {
    leases: count,
    perSecond: Math.round((count / took) * 1e4) / 10,
    refused: count - postMs.length,
    postToKubeconfigMs: { ...kubeconfig, bounds: { p50: 30, p99: 150 } },
    writesPerLease: { ...perLease, bound: { lease: 8 } },
    writesByKind: byKind,
    readsByKind: figures.read,
    eventLoopDelayMs: { ...rounded(figures.loopDelayMs), bound: { p99: 50 } },
    hostCpuMsPerLease: Math.round(((hostCpu - hostBefore) / count) * 10) / 10,
    operatorCpuMsPerLease: Math.round(((figures.cpuMs - cpuBefore) / count) * 10) / 10,
  }
}

async function lifeOf(operator: FakeOperator): Promise<{ readonly ms?: number }> {
  const before = performance.now()
  const { status, body } = await operator.call('POST', '/v1/leases', { profile: POOL, ttl: '10m' })
  if (status !== 202) return {}
  const lease = await operator.call('GET', `/v1/leases/${body.id}?wait=30s`)
  const ms = performance.now() - before
  await operator.call('DELETE', `/v1/leases/${body.id}`)
  return lease.body.kubeconfig === undefined ? {} : { ms }
}

const LEASE_WRITES = /ClusterLease|ConfigMap|Secret/

/** `lease`: what a lease costs, its binding and its token included; the rest is the change of the member behind it. */
function writesPer({ written }: OperatorFigures, count: number) {
  const per = (choose: (kind: string) => boolean) => {
    const sum = Object.entries(written).reduce((total, [kind, times]) => total + (choose(kind) ? times : 0), 0)
    return Math.round((sum / count) * 10) / 10
  }
  // A member has a Secret too, its kubeconfig: one per member, and as many members are made as leases end.
  const members = written['create ClusterInstance'] ?? 0
  // One of the writes on an instance is the reservation.
  const lease = Math.round((per((kind) => LEASE_WRITES.test(kind)) + 1 - members / count) * 10) / 10
  return {
    perLease: {
      lease,
      poolStatus: per((kind) => kind === 'patch ClusterPool/status'),
      events: per((kind) => kind.endsWith('Event')),
      all: per(() => true),
    },
    byKind: Object.fromEntries(Object.entries(written).sort(([, left], [, right]) => right - left)),
  }
}

const until = (moment: number) => new Promise((resolve) => setTimeout(resolve, Math.max(0, moment - performance.now())))

const rounded = (values: Readonly<Record<string, number>>) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, Math.round(value * 10) / 10]))
