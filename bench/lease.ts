/** From `POST /v1/leases` to a kubeconfig that answers, one lease after the other on a warm pool; and the CLI as a whole. */
import { readFileSync } from 'node:fs'
import { Agent, request } from 'node:https'
import { join } from 'node:path'
import { parse } from 'yaml'
import { createApi, type LeaseDetail } from '../src/client/api.ts'
import { createTestKobe } from '../test/support/kobe.ts'
import { eventually } from '../test/support/run.ts'
import { summarize } from './support/statistics.ts'

const RUNS = Number(process.argv[2] ?? 20)

interface Kubeconfig {
  clusters: { cluster: { server: string; 'certificate-authority-data': string } }[]
  users: { user: { token: string } }[]
}

/** One request through the connect proxy, on a connection of its own as kubectl makes it. */
function firstAnswer(kubeconfig: string): Promise<number> {
  const { clusters, users }: Kubeconfig = parse(kubeconfig)
  const { server, 'certificate-authority-data': ca } = clusters[0]!.cluster
  const agent = new Agent({ ca: Buffer.from(ca, 'base64') })
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${users[0]!.user.token}` }
    const outgoing = request(`${server}/api/v1/namespaces`, { agent, headers }, (incoming) => {
      incoming.resume()
      incoming.on('end', () => resolve(incoming.statusCode ?? 0))
    })
    outgoing.on('error', reject)
    outgoing.end()
  })
}

const kobe = createTestKobe()
try {
  await kobe.up()
  const { endpoint, token } = JSON.parse(readFileSync(join(kobe.stateDir, 'client.json'), 'utf8'))
  const api = createApi({ endpoint, token, source: 'bench' })
  const kubeconfigMs: number[] = []
  const usableMs: number[] = []
  const cliMs: number[] = []
  for (let run = 0; run < RUNS; run += 1) {
    await warm()
    const before = performance.now()
    const { id } = await api.call('createLease', { body: { profile: 'ci-small' } })
    const lease = await api.call('getLease', { params: { id }, query: { wait: '30s' } })
    kubeconfigMs.push(performance.now() - before)
    const status = await firstAnswer(lease.kubeconfig ?? '')
    if (status !== 200) throw new Error(`the leased cluster answered ${status}`)
    usableMs.push(performance.now() - before)
    await api.call('releaseLease', { params: { id } })
  }
  for (let run = 0; run < Math.min(RUNS, 5); run += 1) {
    await warm()
    const before = performance.now()
    const { id } = await kobe.json<LeaseDetail>('lease', 'ci-small')
    cliMs.push(performance.now() - before)
    await api.call('releaseLease', { params: { id } })
  }
  const figures = {
    postToKubeconfig: summarize(kubeconfigMs),
    postToFirstAnswer: summarize(usableMs),
    cliLease: summarize(cliMs),
  }
  console.log(JSON.stringify({ bench: 'lease', unit: 'ms', ...figures }, null, 2))

  async function warm(): Promise<void> {
    await eventually('the pool is warm', 30_000, async () => {
      const pool = await api.call('getPool', { params: { name: 'ci-small' } })
      return pool.ready === 2 && pool.recycling === 0 && pool.creating === 0
    })
  }
} finally {
  await kobe.dispose()
}
