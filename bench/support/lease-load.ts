/**
 * An open loop of lease requests: each starts at its time, so that a slow answer delays no other and hides nothing.
 *   warm   -> there is a warm member for every lease, and each is held until all have been asked for: what a lease costs
 *   churn  -> each is given back at once; the members behind them are destroyed and replaced all the while, as fast as they go
 */
import { CLUSTER_LEASES } from '../../src/api/v1alpha1/resources.ts'
import type { FakeKobe, FakeOperator } from '../../test/support/fake-kobe/fake-kobe.ts'
import { NAMESPACE, type OperatorFigures } from '../../test/support/fake-kobe/figures.ts'
import { warmUp } from '../../test/support/fake-kobe/warm-up.ts'
import { measureShare } from '../../test/support/processor-share.ts'
import { eventually } from '../../test/support/run.ts'
import { until } from './open-loop.ts'
import { summarize } from './statistics.ts'

const POOL = 'load'
const CHURN_WARM = 200
/** Room for replacements while leases end. */
const SPARE = 20

export interface Load {
  readonly rate: number
  readonly seconds: number
  /** Given back at once. */
  readonly churn: boolean
}

export async function measureLoad(kobe: FakeKobe, operator: FakeOperator, load: Load): Promise<object> {
  const { rate, seconds, churn } = load
  const count = rate * seconds
  const warm = churn ? CHURN_WARM : count + SPARE
  await warmUp(kobe, operator)
  await untilNoneIsLeft(kobe)
  await kobe.makePool(POOL, { scaling: { minReady: warm, maxClusters: churn ? 4 * warm : warm + SPARE } })
  await kobe.untilReady(POOL, warm, 300_000)
  const hostBefore = await kobe.hostCpuMs()
  const cpuBefore = (await operator.figures()).cpuMs
  const shareOf = await measureShare(async () => (await kobe.hostCpuMs()) + (await operator.figures()).cpuMs)
  const started = performance.now()
  const asked = await Promise.all(
    Array.from({ length: count }, async (_, index) => {
      await until(started + (index * 1000) / rate)
      const lease = await ask(operator)
      if (churn) await release(operator, lease.id)
      return lease
    }),
  )
  const took = performance.now() - started
  // In this order: each asking begins the counts anew.
  const figures = await operator.figures()
  const share = await shareOf()
  const cpu = { operator: figures.cpuMs - cpuBefore, host: (await kobe.hostCpuMs()) - hostBefore }
  if (!churn) await Promise.all(asked.map(({ id }) => release(operator, id)))
  await untilNoneIsLeft(kobe)
  const whole = merge(figures, await operator.figures())
  const postMs = asked.flatMap(({ ms }) => ms ?? [])
  const { perLease, byKind } = writesPer(whole, count)
  return {
    leases: count,
    perSecond: Math.round((count / took) * 1e4) / 10,
    refused: count - postMs.length,
    postToKubeconfigMs: { ...summarize(postMs), ...(churn ? {} : { bounds: { p50: 30, p99: 150 } }) },
    writesPerLease: { ...perLease, bound: { lease: 8 } },
    writesByKind: byKind,
    readsByKind: whole.read,
    eventLoopDelayMs: { ...rounded(figures.loopDelayMs), bound: { p99: 50 } },
    processorShare: Math.round(share * 100) / 100,
    hostCpuMsPerLease: Math.round((cpu.host / count) * 10) / 10,
    operatorCpuMsPerLease: Math.round((cpu.operator / count) * 10) / 10,
  }
}

interface Asked {
  readonly id?: string
  /** From the request to the kubeconfig. */
  readonly ms?: number
}

async function ask(operator: FakeOperator): Promise<Asked> {
  const before = performance.now()
  const { status, body } = await operator.call('POST', '/v1/leases', { profile: POOL, ttl: '10m' })
  if (status !== 202) return {}
  const lease = await operator.call('GET', `/v1/leases/${body.id}?wait=30s`)
  return lease.body.kubeconfig === undefined ? { id: body.id } : { id: body.id, ms: performance.now() - before }
}

async function release(operator: FakeOperator, id: string | undefined): Promise<void> {
  if (id !== undefined) await operator.call('DELETE', `/v1/leases/${id}`)
}

/** A life is over when its object is gone. */
async function untilNoneIsLeft({ client }: FakeKobe): Promise<void> {
  await eventually('every lease is gone', 180_000, async () => {
    const { items } = await client.list(CLUSTER_LEASES, { namespace: NAMESPACE, limit: 1 })
    return items.length === 0
  })
}

function merge(first: OperatorFigures, second: OperatorFigures): Pick<OperatorFigures, 'written' | 'read'> {
  return { written: sum(first.written, second.written), read: sum(first.read, second.read) }
}

function sum(left: Readonly<Record<string, number>>, right: Readonly<Record<string, number>>): Record<string, number> {
  const kinds = new Set([...Object.keys(left), ...Object.keys(right)])
  return Object.fromEntries([...kinds].map((kind) => [kind, (left[kind] ?? 0) + (right[kind] ?? 0)]))
}

const LEASE_WRITES = /ClusterLease|ConfigMap|Secret/

/** `lease`: what a lease costs, its binding and its token included; the rest is the change of the member behind it. */
function writesPer({ written }: Pick<OperatorFigures, 'written'>, count: number) {
  const per = (choose: (kind: string) => boolean) => {
    const sum = Object.entries(written).reduce((total, [kind, times]) => total + (choose(kind) ? times : 0), 0)
    return Math.round((sum / count) * 10) / 10
  }
  // A member has a Secret too, its kubeconfig: one per member that was made meanwhile.
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

const rounded = (values: Readonly<Record<string, number>>) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, Math.round(value * 10) / 10]))
