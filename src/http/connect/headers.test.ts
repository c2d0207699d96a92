import { describe, expect, it } from 'vitest'
import { requestHeaders, responseHeaders, upgradeHeaders } from './headers.ts'

describe('headers of a request', () => {
  it('keep order, case and repetition', () => {
    const raw = ['Accept', 'a', 'X-Custom', '1', 'x-custom', '2']
    expect(requestHeaders(raw)).toEqual(raw)
  })

  it.each([
    'Authorization',
    'Host',
    'Connection',
    'Keep-Alive',
    'Proxy-Authorization',
    'TE',
    'Transfer-Encoding',
    'Upgrade',
    'Expect',
    'X-Remote-User',
    'X-Remote-Extra-A',
    'X-Forwarded-For',
    'Forwarded',
  ])('%s stays behind', (name) => {
    expect(requestHeaders([name, 'x', 'Accept', 'y'])).toEqual(['Accept', 'y'])
  })

  it('that impersonate go on: dropped, a test of rights would silently run as the administrator', () => {
    expect(requestHeaders(['Impersonate-User', 'dev', 'Impersonate-Group', 'g'])).toHaveLength(4)
  })

  it('named by Connection stay behind', () => {
    expect(requestHeaders(['Connection', 'close, X-Hop', 'X-Hop', '1', 'X-Other', '2'])).toEqual(['X-Other', '2'])
  })
})

describe('headers of an upgrade', () => {
  it('ask for it, once, and carry the protocol but not the token in it', () => {
    const raw = [
      'Connection',
      'keep-alive, Upgrade',
      'Upgrade',
      'websocket',
      'Sec-WebSocket-Protocol',
      'v5.channel.k8s.io, base64url.bearer.authorization.k8s.io.abc',
      'Sec-WebSocket-Key',
      'k',
      'Authorization',
      'Bearer t',
    ]
    expect(upgradeHeaders(raw)).toEqual([
      'Sec-WebSocket-Protocol',
      'v5.channel.k8s.io',
      'Sec-WebSocket-Key',
      'k',
      'Connection',
      'Upgrade',
      'Upgrade',
      'websocket',
    ])
  })
})

describe('headers of an answer', () => {
  it('lose only what is about the connection, and the request id of the cluster', () => {
    const raw = [
      'Content-Length',
      '3',
      'Transfer-Encoding',
      'chunked',
      'Connection',
      'close',
      'Warning',
      '299 - "w"',
      'X-Request-Id',
      'a',
    ]
    expect(responseHeaders(raw)).toEqual(['Content-Length', '3', 'Warning', '299 - "w"'])
  })
})
