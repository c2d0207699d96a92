import { describe, expect, it } from 'vitest'
import { refuseKubeconfig } from './kubeconfig-check.ts'

const config = ({
  user = { token: 't' },
  cluster = {},
  more = {},
}: {
  user?: object
  cluster?: object
  more?: object
}) =>
  JSON.stringify({
    'current-context': 'c',
    contexts: [{ name: 'c', context: { cluster: 'k', user: 'u' } }],
    clusters: [{ name: 'k', cluster: { server: 'https://10.0.0.1:6443', ...cluster } }],
    users: [{ name: 'u', user }],
    ...more,
  })

describe('a kubeconfig that is sent', () => {
  it.each([
    ['a token', config({})],
    ['a client certificate', config({ user: { 'client-certificate-data': 'YQ==', 'client-key-data': 'YQ==' } })],
    ['empty fields of what is refused', config({ user: { token: 't', tokenFile: '', exec: null } })],
    ['a certificate authority in the text', config({ cluster: { 'certificate-authority-data': 'YQ==' } })],
  ])('may have %s', (_, text) => {
    expect(refuseKubeconfig(text)).toBeUndefined()
  })

  it.each([
    ['a program', config({ user: { exec: { command: 'sh' } } }), 'users[].user.exec'],
    ['a login of a cloud', config({ user: { 'auth-provider': { name: 'gcp' } } }), 'users[].user.auth-provider'],
    ['a file with a token', config({ user: { tokenFile: '/etc/passwd' } }), 'users[].user.tokenFile'],
    ['a file with a certificate', config({ user: { 'client-certificate': 'a' } }), 'client-certificate'],
    ['a file with a key', config({ user: { 'client-key': 'a' } }), 'client-key'],
    ['a file with an authority', config({ cluster: { 'certificate-authority': 'a' } }), 'certificate-authority'],
    [
      'a program of a user that no context names',
      config({
        more: {
          users: [
            { name: 'u', user: { token: 't' } },
            { name: 'x', user: { exec: { command: 'sh' } } },
          ],
        },
      }),
      'users[].user.exec',
    ],
    ['plain HTTP', config({ cluster: { server: 'http://10.0.0.1' } }), 'https://'],
    ['no server', config({ cluster: { server: '' } }), 'server'],
    ['no such context', config({ more: { 'current-context': 'x' } }), 'contexts'],
    ['nothing', '', 'contexts'],
    ['no YAML', 'a: [', 'neither YAML nor JSON'],
  ])('is refused with %s', (_, text, says) => {
    expect(refuseKubeconfig(text)).toContain(says)
  })

  it('is never quoted', () => {
    const text = `users: [{name: u, user: {token: 'secret-of-mine'}}\nsecret-of-mine: [`
    expect(refuseKubeconfig(text)).not.toContain('secret-of-mine')
  })
})
