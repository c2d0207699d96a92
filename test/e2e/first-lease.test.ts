/** The first quarter of an hour of a new user, with the real kubectl. */
import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestKobe, type TestKobe } from '../support/kobe.ts'
import { eventually, hasKubectl, KUBECTL, kubectl, type Running, run, start } from '../support/run.ts'
import { say } from '../support/say.ts'

const WIDGETS_CRD = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: widgets.example.com }
spec:
  group: example.com
  scope: Namespaced
  names: { plural: widgets, singular: widget, kind: Widget, shortNames: [wd] }
  versions:
    - name: v1
      served: true
      storage: true
      subresources: { status: {} }
      additionalPrinterColumns:
        - { name: Size, type: integer, jsonPath: .spec.size }
      schema:
        openAPIV3Schema:
          type: object
          required: [spec]
          properties:
            spec:
              type: object
              required: [size]
              properties:
                size: { type: integer, minimum: 1 }
                color: { type: string, default: blue }
            status:
              type: object
              properties:
                ready: { type: boolean }
                conditions:
                  type: array
                  items:
                    type: object
                    properties: { type: { type: string }, status: { type: string } }
`

const WIDGET = `
apiVersion: example.com/v1
kind: Widget
metadata: { name: small, namespace: demo }
spec: { size: 3 }
`

interface Lease {
  id: string
  kubeconfigPath: string
  cluster_name: string
}

describe.skipIf(!hasKubectl)('a new user', () => {
  let kobe: TestKobe
  let running: Running
  let lease: Lease
  let file: (name: string, text: string) => string

  beforeAll(async () => {
    kobe = createTestKobe()
    file = (name, text) => {
      const path = join(kobe.dir, name)
      writeFileSync(path, text)
      return path
    }
    running = await kobe.up()
    say(running.output())
  })
  afterAll(() => kobe.dispose())

  const guest = (...args: string[]) => {
    say(`kubectl ${args.join(' ')}`)
    return kubectl(lease.kubeconfigPath, args, { env: kobe.env })
  }
  const host = (...args: string[]) => {
    say(`kubectl --kubeconfig .kobe/host.kubeconfig ${args.join(' ')}`)
    return kubectl(kobe.hostKubeconfig, args, { env: kobe.env })
  }

  test('sees the endpoint and a warm pool in `kobe status`', async () => {
    const text = await kobe.cliOk('status')
    say('kobe status', text)
    expect(text).toMatch(/ci-small +Healthy +2 +0/)
    expect(text).toContain('local-admin')
  })

  test('leases a cluster and gets the path of a private kubeconfig', async () => {
    lease = await kobe.json<Lease>('lease', 'ci-small')
    say(`kobe lease ci-small -> ${lease.kubeconfigPath}`)
    expect(statSync(lease.kubeconfigPath).mode & 0o777).toBe(0o600)
    expect(lease.cluster_name).toMatch(/^pool-ci-small-\d+$/)
  })

  test('works in it with kubectl: namespace, CRD, custom resource, describe, patches', async () => {
    await guest('create', 'namespace', 'demo')
    await guest('apply', '-f', file('crd.yaml', WIDGETS_CRD))
    await guest('wait', '--for=condition=Established', 'crd/widgets.example.com', '--timeout=10s')
    await guest('apply', '-f', file('widget.yaml', WIDGET))
    expect(await guest('get', 'widgets', '-n', 'demo')).toMatch(/NAME +SIZE\nsmall +3/)
    expect(await guest('get', 'wd', 'small', '-n', 'demo', '-o', 'jsonpath={.spec.color}')).toBe('blue')
    expect(await guest('describe', 'widget', 'small', '-n', 'demo')).toContain('Color:  blue')
    await guest('patch', 'widget', 'small', '-n', 'demo', '--type=merge', '-p', '{"spec":{"size":5}}')
    await guest(
      'patch',
      'widget',
      'small',
      '-n',
      'demo',
      '--type=json',
      '-p',
      '[{"op":"replace","path":"/spec/color","value":"red"}]',
    )
    await guest('label', 'widget', 'small', '-n', 'demo', 'team=a')
    await guest('annotate', 'widget', 'small', '-n', 'demo', 'note=b')
    const object = JSON.parse(await guest('get', 'widget', 'small', '-n', 'demo', '-o', 'json'))
    expect(object).toMatchObject({
      spec: { size: 5, color: 'red' },
      metadata: { labels: { team: 'a' }, generation: 3 },
    })
    expect(await guest('api-resources', '--api-group=example.com')).toContain('widgets')
  })

  test('is told which field is wrong when a custom resource is invalid', async () => {
    const bad = file('bad.yaml', WIDGET.replace('size: 3', 'size: 0'))
    const result = await run(KUBECTL, ['--kubeconfig', lease.kubeconfigPath, 'apply', '-f', bad], { env: kobe.env })
    expect(result.code).toBe(1)
    expect(result.stderr).toContain('spec.size')
  })

  test('watches changes through the proxy', async () => {
    const watch = start(KUBECTL, ['--kubeconfig', lease.kubeconfigPath, 'get', 'widgets', '-n', 'demo', '-w'], {
      env: kobe.env,
    })
    await eventually('the first row', 10_000, async () => watch.output().includes('small'))
    await guest('patch', 'widget', 'small', '-n', 'demo', '--type=merge', '-p', '{"spec":{"size":7}}')
    await eventually('the changed row', 10_000, async () => /small +7/.test(watch.output()))
    watch.child.kill()
    await watch.exited
  })

  test('waits for a condition and for a deletion', async () => {
    const waiting = guest('wait', 'widget/small', '-n', 'demo', '--for=condition=Ready', '--timeout=20s')
    const status = '{"status":{"conditions":[{"type":"Ready","status":"True"}]}}'
    await guest('patch', 'widget', 'small', '-n', 'demo', '--subresource=status', '--type=merge', '-p', status)
    expect(await waiting).toContain('condition met')
    await guest('delete', 'widget', 'small', '-n', 'demo')
    await guest('delete', 'namespace', 'demo', '--timeout=20s')
  })

  test('shares nothing with a second lease', async () => {
    await guest('create', 'namespace', 'mine')
    const second = await kobe.json<Lease>('lease', 'ci-small', '--name', 'second')
    expect(second.cluster_name).not.toBe(lease.cluster_name)
    const seen = await kubectl(second.kubeconfigPath, ['get', 'namespaces', '-o', 'name'], { env: kobe.env })
    expect(seen).not.toContain('mine')
    expect(seen).not.toContain('demo')
    await kobe.cliOk('release', 'second')
  })

  test('extends the lease and finds it in `kobe list`', async () => {
    const before = (await kobe.json<{ id: string; expires_at: string }[]>('list')).find(({ id }) => id === lease.id)
    const { expiresAt } = await kobe.json<{ expiresAt: string }>('extend', lease.id, '--ttl', '10m')
    expect(Date.parse(expiresAt) - Date.parse(before?.expires_at ?? '')).toBe(600_000)
  })

  test('releases it: the cluster is replaced within 5 s and the kubeconfig is of no use any more', async () => {
    const old = await kubectl(lease.kubeconfigPath, ['config', 'view', '--raw'], { env: kobe.env })
    await kobe.cliOk('release', lease.id)
    await eventually('two warm members again, without the used one', 5_000, async () => {
      const items = JSON.parse(await host('get', 'clusterinstance', '-n', 'kobe-system', '-o', 'json')).items
      const ready = items.filter((item: { status?: { phase?: string } }) => item.status?.phase === 'Ready')
      const names = items.map((item: { metadata: { name: string } }) => item.metadata.name)
      return ready.length >= 2 && !names.includes(lease.cluster_name)
    })
    const stale = file('stale.kubeconfig', old)
    const result = await run(KUBECTL, ['--kubeconfig', stale, 'get', 'namespaces'], { env: kobe.env })
    expect(result.code).not.toBe(0)
  })

  test('sees everything on the host API with kubectl', async () => {
    const all = await host('-n', 'kobe-system', 'get', 'clusterpool,clusterinstance,clusterlease')
    say(all)
    expect(all).toContain('clusterpool.kobe.kunobi.ninja/ci-small')
    const columns = 'custom-columns=NAME:.metadata.name,HASH:.status.specHash,PHASE:.status.phase'
    const rows = await host(
      'get',
      'clusterinstance',
      '-n',
      'kobe-system',
      '-l',
      'app.kubernetes.io/managed-by=kobe-operator',
      '-o',
      columns,
    )
    say(rows)
    expect(rows).toMatch(/pool-ci-small-\d+ +[0-9a-f]{16} +Ready/)
    const [name] = (await host('get', 'clusterinstance', '-n', 'kobe-system', '-o', 'name')).split('\n')
    expect(await host('describe', '-n', 'kobe-system', name ?? '')).toMatch(/Events:\n +Type +Reason/)
    expect(await host('get', 'kobe', '-A')).toContain('ci-small')
  })

  test('stops everything with Ctrl-C: no process is left', async () => {
    const before = await run('pgrep', ['-f', kobe.dir])
    expect(before.stdout).not.toBe('')
    running.child.kill('SIGINT')
    expect(await running.exited).toBe(0)
    expect((await run('pgrep', ['-f', kobe.dir])).stdout).toBe('')
  })
})
