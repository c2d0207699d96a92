import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { renderKubeconfig } from '../../../src/control-plane/index.ts'
import { hasKubectl, KUBECTL, kubectl, run } from '../../support/run.ts'
import { ADMIN_TOKEN, startTestServer, type TestServer } from './harness.ts'

describe.skipIf(!hasKubectl)('kubectl, about access', () => {
  let server: TestServer
  let folder: string
  let kubeconfig: string
  const k = (...args: string[]) => kubectl(kubeconfig, args, { env: { HOME: folder } })
  const refused = async (...args: string[]) =>
    (await run(KUBECTL, ['--kubeconfig', kubeconfig, ...args], { env: { HOME: folder } })).stderr.trim()

  beforeAll(async () => {
    server = await startTestServer()
    folder = await mkdtemp(join(tmpdir(), 'kubectl-auth-'))
    kubeconfig = join(folder, 'config')
    const { url } = server.controlPlane
    await writeFile(
      kubeconfig,
      renderKubeconfig({ server: url, caCert: server.pki.caCert, token: ADMIN_TOKEN, name: 'x' }),
    )
    await k('create', 'serviceaccount', 'bot')
    await k('create', 'role', 'reader', '--verb=get,list', '--resource=pods,pods/log,deployments.apps')
    await k('create', 'rolebinding', 'reader', '--role=reader', '--serviceaccount=default:bot', '--user=ann')
    await k('create', 'clusterrole', 'watcher', '--verb=list', '--resource=nodes')
    await k('create', 'clusterrole', 'prober', '--verb=get', '--non-resource-url=/probe/*')
    await k('create', 'clusterrolebinding', 'watcher', '--clusterrole=watcher', '--group=devs')
  })
  afterAll(async () => {
    await server.close()
    await rm(folder, { recursive: true })
  })

  it('auth whoami shows whom --as and --as-group make of the administrator', async () => {
    expect(await k('auth', 'whoami', '-o', 'jsonpath={.status.userInfo.username}')).toBe('admin')
    const shown = await k(
      'auth',
      'whoami',
      '--as=ann',
      '--as-group=devs',
      '--as-uid=7',
      '-o',
      'jsonpath={.status.userInfo}',
    )
    expect(JSON.parse(shown)).toEqual({ username: 'ann', uid: '7', groups: ['devs', 'system:authenticated'] })
  })

  it.each([
    ['yes', ['list', 'pods', '--as=ann']],
    ['no', ['list', 'pods', '--as=ann', '-A']],
    ['no', ['delete', 'pods', '--as=ann']],
    ['yes', ['get', 'pods/x', '--subresource=log', '--as=system:serviceaccount:default:bot']],
    ['yes', ['list', 'nodes', '--as=x', '--as-group=devs']],
    ['no', ['list', 'nodes', '--as=x']],
    ['yes', ['*', '*']],
    ['yes', ['get', '/version', '--as=x', '--as-group=system:authenticated']],
    ['no', ['get', '/probe/x', '--as=x']],
  ])('auth can-i answers %s to %j', async (answer, args) => {
    const { stdout } = await run(KUBECTL, ['--kubeconfig', kubeconfig, 'auth', 'can-i', ...args], {
      env: { HOME: folder },
    })
    expect(stdout.trim().split('\n').at(-1)).toBe(answer)
  })

  it('auth can-i --list shows the rules of the one asked about', async () => {
    const lines = (await k('auth', 'can-i', '--list', '--as=ann')).split('\n')
    expect(lines.find((line) => line.startsWith('deployments.apps '))).toMatch(/\[get list\]$/)
    expect(lines.find((line) => line.startsWith('selfsubjectreviews'))).toMatch(/\[create\]$/)
    expect(await k('auth', 'can-i', '--list')).toMatch(/\*\.\* .*\[\*\]/)
  })

  it('requests are allowed and refused as the rules say', async () => {
    expect(await k('get', 'pods', '--as=ann')).toBe('')
    expect(await refused('get', 'secrets', '--as=ann')).toBe(
      'Error from server (Forbidden): secrets is forbidden: User "ann" cannot list resource "secrets" in API group "" in the namespace "default"',
    )
  })

  it('create token makes one that kubectl can use', async () => {
    const token = (await k('create', 'token', 'bot', '--duration=20m')).trim()
    const open = join(folder, 'bot')
    const { url } = server.controlPlane
    await writeFile(open, renderKubeconfig({ server: url, caCert: server.pki.caCert, token, name: 'bot' }))
    const asBot = (...args: string[]) => kubectl(open, args, { env: { HOME: folder } })
    expect(await asBot('auth', 'whoami', '-o', 'jsonpath={.status.userInfo.username}')).toBe(
      'system:serviceaccount:default:bot',
    )
    expect(await asBot('get', 'deployments', '-o', 'name')).toBe('')
    await expect(asBot('get', 'configmaps')).rejects.toThrow('cannot list resource "configmaps"')
  })

  it('auth reconcile and the default roles go together', async () => {
    const view = JSON.parse(await k('get', 'clusterrole', 'view', '-o', 'json'))
    expect(view.rules.length).toBeGreaterThan(5)
    await writeFile(join(folder, 'view.json'), JSON.stringify(view))
    expect(await k('auth', 'reconcile', '-f', join(folder, 'view.json'))).toContain('view reconciled')
  })
})
