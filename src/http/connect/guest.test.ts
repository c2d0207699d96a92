import { describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { createGuests, parseGuest } from './guest.ts'
import { ConnectError } from './status-body.ts'

const base64 = (text: string): string => Buffer.from(text).toString('base64')

const kubeconfig = (cluster: object, user: object = { token: 't' }): string =>
  stringify({
    'current-context': 'b',
    contexts: [
      { name: 'a', context: { cluster: 'no', user: 'no' } },
      { name: 'b', context: { cluster: 'c', user: 'u' } },
    ],
    clusters: [{ name: 'c', cluster }],
    users: [{ name: 'u', user }],
  })
const CLUSTER = { server: 'https://10.0.0.1:6443/base/', 'certificate-authority-data': base64('CA') }

describe('parseGuest', () => {
  it('reads address, base path, CA and credential of the current context', () => {
    const user = { 'client-certificate-data': base64('CERT'), 'client-key-data': base64('KEY') }
    const guest = parseGuest(kubeconfig({ ...CLUSTER, 'tls-server-name': 'guest' }, user))
    expect(guest).toMatchObject({ hostname: '10.0.0.1', port: 6443, basePath: '/base' })
    expect(guest.tls).toEqual({ ca: 'CA', cert: 'CERT', key: 'KEY', servername: 'guest' })
    expect(guest).not.toHaveProperty('token')
  })

  it('reads an IPv6 address and the default port', () => {
    expect(parseGuest(kubeconfig({ ...CLUSTER, server: 'https://[::1]' }))).toMatchObject({
      hostname: '::1',
      port: 443,
      basePath: '',
      token: 't',
    })
  })

  it.each([
    ['no YAML', '{ secret: ['],
    ['no object', '7'],
    ['no context', '{}'],
    ['plain HTTP', kubeconfig({ ...CLUSTER, server: 'http://10.0.0.1' })],
    [
      'no CA, for then nothing could be verified',
      kubeconfig({ server: CLUSTER.server, 'insecure-skip-tls-verify': true }),
    ],
    ['a CA by path', kubeconfig({ server: CLUSTER.server, 'certificate-authority': '/ca.crt' })],
  ])('refuses %s, without quoting it', (_case, text) => {
    const error = (() => {
      try {
        return parseGuest(text)
      } catch (thrown) {
        return thrown
      }
    })()
    expect(error).toBeInstanceOf(ConnectError)
    expect((error as ConnectError).refusal).toMatchObject({ status: 503, reason: 'kubeconfig_parse' })
    expect((error as ConnectError).message).not.toContain('secret')
    expect((error as ConnectError).cause).toBeUndefined()
  })
})

describe('createGuests', () => {
  it('keeps connections while the credential is the same, and replaces them when it changes', async () => {
    let text: string | undefined = kubeconfig(CLUSTER)
    const guests = createGuests(async () => text)
    const first = await guests.get('i')
    expect(await guests.get('i')).toBe(first)
    text = kubeconfig({ ...CLUSTER, server: 'https://10.0.0.2' })
    expect((await guests.get('i')).hostname).toBe('10.0.0.2')
    text = undefined
    await expect(guests.get('i')).rejects.toMatchObject({ refusal: { reason: 'kubeconfig_unavailable' } })
    guests.closeAll()
  })
})
