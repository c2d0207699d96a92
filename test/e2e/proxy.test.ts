/** A leased cluster through `/connect`, with the real kubectl: what people do, for as long as they do it, until the lease ends. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestKobe, type TestKobe } from '../support/kobe.ts'
import { eventually, hasKubectl, KUBECTL, kubectl, type Running, run, start } from '../support/run.ts'
import { say } from '../support/say.ts'
import { startStubGuest } from '../support/stub-guest.ts'

/** A minute under `npm run e2e -- proxy`; in the suite of everything the events alone, without a wait. */
const WATCH_SECONDS = process.env['KOBE_E2E_LONG'] === '1' ? 60 : 0

interface Lease {
  id: string
  kubeconfigPath: string
  cluster_name: string
}

describe.skipIf(!hasKubectl)('kubectl through /connect', () => {
  let kobe: TestKobe
  let lease: Lease

  beforeAll(async () => {
    kobe = createTestKobe()
    await kobe.up()
    lease = await kobe.json<Lease>('lease', 'ci-small')
  })
  afterAll(() => kobe.dispose())

  const guest = (...args: string[]) => kubectl(lease.kubeconfigPath, args, { env: kobe.env })
  const running = (of: Lease, ...args: string[]): Running =>
    start(KUBECTL, ['--kubeconfig', of.kubeconfigPath, ...args], { env: kobe.env })
  const watching = async (of: Lease): Promise<Running> => {
    const watch = running(of, 'get', 'configmaps', '-n', 'default', '--watch', '-o', 'name')
    await eventually('the watch shows what is there', 20_000, async () => watch.output().includes('kube-root-ca.crt'))
    return watch
  }

  test('reads and writes', async () => {
    expect(await guest('get', 'namespaces', '-o', 'name')).toContain('namespace/default')
    await guest('create', 'configmap', 'small', '--from-literal=a=b')
    expect(await guest('get', 'configmap', 'small', '-o', 'jsonpath={.data.a}')).toBe('b')
  })

  test(`keeps a watch open (for ${WATCH_SECONDS} s) and shows what happens from its beginning to its end`, {
    timeout: 240_000,
  }, async () => {
    const watch = await watching(lease)
    const shows = async (name: string) => {
      await guest('create', 'configmap', name)
      await eventually(`the watch shows ${name}`, 30_000, async () => watch.output().includes(`configmap/${name}`))
    }
    await shows('early')
    await new Promise((resolve) => setTimeout(resolve, WATCH_SECONDS * 1000))
    expect(watch.child.exitCode).toBeNull()
    await shows('late')
    watch.child.kill()
    await watch.exited
  })

  test('applies an object of 900 kB, on the server, and gets it back whole', async () => {
    const text = 'x'.repeat(900_000)
    const file = join(kobe.dir, 'big.json')
    const big = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'big', namespace: 'default' }, data: { text } }
    writeFileSync(file, JSON.stringify(big))
    await guest('apply', '--server-side', '-f', file)
    expect((await guest('get', 'configmap', 'big', '-o', 'jsonpath={.data.text}')).length).toBe(text.length)
  })

  test('serves a `kubectl proxy`', async () => {
    // The server of a lease has a path; kubectl leaves it out unless it is told not to.
    const proxy = running(lease, 'proxy', '--port=0', '--append-server-path')
    const address = await eventually(
      'kubectl proxy listens',
      20_000,
      async () => /Starting to serve on (\S+)/.exec(proxy.output())?.[1],
    )
    const answer = await fetch(`http://${address}/api/v1/namespaces/default`)
    expect(answer.status).toBe(200)
    expect(await answer.json()).toMatchObject({ kind: 'Namespace' })
    proxy.child.kill()
    await proxy.exited
  })

  test('an upgrade: `kubectl exec` runs, with stdin, and ends with the exit code of the command', async () => {
    const other = await kobe.json<Lease>('lease', 'ci-small')
    const stub = await startStubGuest()
    try {
      // The member is still there; its published kubeconfig now leads to a cluster that has a pod to exec into.
      const data = { kubeconfig: Buffer.from(stub.kubeconfig).toString('base64') }
      const patch = ['--type=merge', '-p', JSON.stringify({ data })]
      const secret = ['secret', `${other.cluster_name}-kubeconfig`, '-n', 'kobe-system']
      await kubectl(kobe.hostKubeconfig, ['patch', ...secret, ...patch], { env: kobe.env })
      const inPod = (...args: string[]) => ['--kubeconfig', other.kubeconfigPath, 'exec', ...args]
      const plain = await eventually('exec reaches the stub', 20_000, async () => {
        const result = await run(KUBECTL, inPod('shell', '--', 'uname', '-a'), { env: kobe.env })
        if (result.code !== 0) throw new Error(result.stderr)
        return result
      })
      expect(plain.stdout).toBe('ran uname -a\n')
      const fed = await run(KUBECTL, inPod('-i', 'shell', '--', 'cat'), { env: kobe.env, input: 'over and back\n' })
      expect(fed).toMatchObject({ code: 0, stdout: 'ran cat\nover and back\n' })
      expect(new Set(stub.callers)).toEqual(new Set(['kubernetes-admin']))
    } finally {
      await stub.close()
      await kobe.cliOk('release', other.id)
    }
  })

  test('an open watch is cut within a second of the release', async () => {
    const other = await kobe.json<Lease>('lease', 'ci-small')
    const watch = await watching(other)
    await kobe.cliOk('release', other.id)
    const before = performance.now()
    await watch.exited
    const after = performance.now() - before
    say(`cut ${Math.round(after)} ms after the release had been answered`)
    expect(after).toBeLessThan(1_000)
  })

  test('an open watch is cut within a second of the expiry', async () => {
    const other = await kobe.json<Lease>('lease', 'ci-small', '--ttl', '10s')
    const watch = await watching(other)
    const { expires_at } = await kobe
      .json<{ id: string; expires_at: string }[]>('list')
      .then((leases) => leases.find(({ id }) => id === other.id)!)
    await watch.exited
    const after = Date.now() - Date.parse(expires_at)
    say(`cut ${after} ms after ${expires_at}`)
    expect(after).toBeGreaterThanOrEqual(0)
    expect(after).toBeLessThan(1_000)
  })
})
