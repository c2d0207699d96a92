import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createTestCertificates, type TestCertificates } from '../../test/support/certificates.ts'
import { FakeClock } from '../../test/support/fake-clock.ts'
import { kubeconfigText } from '../../test/support/kubeconfig.ts'
import { type ScriptedServer, sendJson, startScriptedServer } from '../../test/support/scripted-server.ts'
import { systemClock } from './clock.ts'
import { KubeconfigError } from './connection.ts'
import { inClusterConnection } from './in-cluster.ts'
import { createKubeClient, type KubeClientOptions } from './kube-client.ts'
import { kubeconfigConnection } from './kubeconfig.ts'

let directory: string
let certificates: TestCertificates
const cleanups: (() => unknown)[] = []

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'kubeconfig-'))
  certificates = await createTestCertificates()
})
afterAll(() => rmSync(directory, { recursive: true }))
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

const trust = (): object => ({ 'certificate-authority-data': base64(certificates.ca) })

const base64 = (text: string): string => Buffer.from(text).toString('base64')

function file(name: string, content: string): string {
  writeFileSync(join(directory, name), content)
  return name
}

/** Over TLS; asks for a client certificate when `mutual`. */
async function server(mutual = false): Promise<ScriptedServer> {
  const scripted = await startScriptedServer((_, response) => sendJson(response, 200, { gitVersion: 'v1' }), {
    ...certificates.server,
    ...(mutual ? { ca: certificates.ca } : {}),
  })
  cleanups.push(scripted.close)
  return scripted
}

function client(options: KubeClientOptions) {
  const made = createKubeClient(options)
  cleanups.push(made.close)
  return made
}

const authorizationOf = (user: object): Promise<unknown> =>
  kubeconfigConnection({ text: kubeconfigText('https://host:1', user), directory }, systemClock)
    .credentials()
    .then(({ headers }) => headers['authorization'])

describe('a kubeconfig', () => {
  it('is read as JSON or YAML, with the server and namespace of the current context', () => {
    const yaml = `
current-context: two
contexts: [{name: one, context: {cluster: a, user: u}}, {name: two, context: {cluster: b, user: u, namespace: work}}]
clusters: [{name: a, cluster: {server: https://a:1}}, {name: b, cluster: {server: "https://b:2/base/"}}]
users: [{name: u, user: {token: t}}]
`
    expect(kubeconfigConnection({ text: yaml }, systemClock)).toMatchObject({
      server: 'https://b:2/base',
      namespace: 'work',
    })
  })

  it.each([
    ['a token', { token: 't' }, 'Bearer t'],
    ['user name and password', { username: 'u', password: 'p' }, `Basic ${base64('u:p')}`],
    ['nothing', {}, undefined],
  ])('with %s authorizes so', async (_, user, expected) => {
    expect(await authorizationOf(user)).toBe(expected)
  })

  it('reads a token file beside itself, and again a minute later because it is rotated', async () => {
    const clock = new FakeClock()
    const text = kubeconfigText('https://host:1', { tokenFile: file('token', 'first\n') })
    const { credentials } = kubeconfigConnection({ text, directory }, clock)
    const token = async (): Promise<unknown> => (await credentials()).headers['authorization']
    expect(await token()).toBe('Bearer first')
    file('token', 'second')
    expect(await token()).toBe('Bearer first')
    await clock.advance(60_000)
    expect(await token()).toBe('Bearer second')
  })

  it('impersonates', async () => {
    const { credentials } = kubeconfigConnection(
      { text: kubeconfigText('https://host:1', { token: 't', as: 'alice', 'as-groups': ['dev', 'ops'] }) },
      systemClock,
    )
    expect((await credentials()).headers).toMatchObject({
      'impersonate-user': 'alice',
      'impersonate-group': ['dev', 'ops'],
    })
  })

  it.each([
    ['text that is no YAML', 'a: [', /neither YAML nor JSON/],
    ['no current context', '{}', /contexts has no entry/],
    [
      'a context without its cluster',
      'current-context: a\ncontexts: [{name: a, context: {cluster: c}}]',
      /clusters has no entry named "c"/,
    ],
    ['a server that is no URL', kubeconfigText('nonsense'), /server must be a URL/],
    [
      'a missing certificate file',
      kubeconfigText('https://h:1', { 'client-certificate': 'none' }),
      /client-certificate/,
    ],
  ])('with %s is refused', (_, text, message) => {
    const read = () => kubeconfigConnection({ text, directory }, systemClock)
    expect(read).toThrow(KubeconfigError)
    expect(read).toThrow(message)
  })

  it('that cannot be parsed is not quoted in the error: the line may hold a key', () => {
    try {
      kubeconfigConnection({ text: 'token: [top-secret' }, systemClock)
    } catch (error) {
      expect(`${(error as Error).stack} ${String((error as Error).cause)}`).not.toContain('top-secret')
    }
  })

  it('that does not exist is named', () => {
    expect(() => client({ kubeconfigPath: join(directory, 'none') })).toThrow(/cannot read the kubeconfig .*none/)
  })

  it('gets the token of an exec plugin', async () => {
    const credential = { apiVersion: 'client.authentication.k8s.io/v1', kind: 'ExecCredential', status: { token: 'x' } }
    const exec = { command: 'printf', args: [JSON.stringify(credential)], apiVersion: credential.apiVersion }
    const scripted = await server()
    const user = { exec: { ...exec, interactiveMode: 'Never' } }
    const made = client({ kubeconfig: kubeconfigText(scripted.url, user, trust()) })
    await made.raw('GET', '/version')
    expect(scripted.requests[0]!.headers.authorization).toBe('Bearer x')
  })

  it('with a failing exec plugin makes requests fail without what the plugin wrote', async () => {
    const exec = { command: 'sh', args: ['-c', 'echo top-secret >&2; exit 1'], interactiveMode: 'Never' }
    const made = client({ kubeconfig: kubeconfigText((await server()).url, { exec }, trust()) })
    const error = (await made.raw('GET', '/version').catch((thrown: unknown) => thrown)) as Error
    expect(error).toMatchObject({ code: 'Unreachable', message: expect.stringContaining('credential plugin') })
    expect(JSON.stringify(error) + String(error.cause) + error.stack).not.toContain('top-secret')
  })
})

describe('TLS', () => {
  const data = () => ({
    cluster: trust(),
    user: {
      'client-certificate-data': base64(certificates.client.cert),
      'client-key-data': base64(certificates.client.key),
    },
  })

  it.each(['inline data', 'files beside the kubeconfig'])('works with certificates from %s', async (from) => {
    const scripted = await server(true)
    const inline = data()
    const kubeconfig = kubeconfigText(scripted.url, inline.user, inline.cluster)
    const files = kubeconfigText(
      scripted.url,
      {
        'client-certificate': file('client.crt', certificates.client.cert),
        'client-key': file('client.key', certificates.client.key),
      },
      { 'certificate-authority': file('ca.crt', certificates.ca) },
    )
    const made =
      from === 'inline data'
        ? client({ kubeconfig })
        : client({ kubeconfigPath: join(directory, file('config', files)) })
    expect(await made.raw('GET', '/version')).toEqual({ gitVersion: 'v1' })
    expect(made.server).toBe(scripted.url)
  })

  it('a server of another authority is Unreachable, and is believed only on demand', async () => {
    const scripted = await server(true)
    const { user } = data()
    const strict = client({ kubeconfig: kubeconfigText(scripted.url, user) })
    await expect(strict.raw('GET', '/version')).rejects.toMatchObject({ code: 'Unreachable' })
    const lax = client({ kubeconfig: kubeconfigText(scripted.url, user, { 'insecure-skip-tls-verify': true }) })
    expect(await lax.raw('GET', '/version')).toEqual({ gitVersion: 'v1' })
  })

  it('the name in the certificate must fit, and tls-server-name says which', async () => {
    const scripted = await server(true)
    const { user, cluster } = data()
    const named = (name: string) =>
      client({ kubeconfig: kubeconfigText(scripted.url, user, { ...cluster, 'tls-server-name': name }) })
    expect(await named('localhost').raw('GET', '/version')).toEqual({ gitVersion: 'v1' })
    await expect(named('example.org').raw('GET', '/version')).rejects.toMatchObject({ code: 'Unreachable' })
  })
})

describe('a pod', () => {
  it('uses the mounted service account', async () => {
    const scripted = await server()
    file('token', 'mounted')
    file('ca.crt', certificates.ca)
    file('namespace', 'kobe-system\n')
    const connection = inClusterConnection(systemClock, { server: scripted.url, serviceAccountDir: directory })
    expect(connection).toMatchObject({ namespace: 'kobe-system', trust: { ca: certificates.ca } })
    expect((await connection.credentials()).headers).toEqual({ authorization: 'Bearer mounted' })
  })

  it('without one is told what to do', () => {
    expect(() => inClusterConnection(systemClock, { serviceAccountDir: join(directory, 'none') })).toThrow(
      /not in a pod, or the pod mounts no service account/,
    )
  })
})
