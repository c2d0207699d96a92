/** Tells who sent a request: bearer token first, then client certificate. */
import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { TLSSocket } from 'node:tls'
import type { TokenRecord } from '../options.ts'
import { ANONYMOUS, AUTHENTICATED_GROUP, type UserInfo } from './user.ts'

export interface Authenticator {
  /** Answers `ANONYMOUS` without credentials, undefined for credentials that are not valid. */
  ofRequest(request: IncomingMessage): UserInfo | undefined
  /** Whose bearer token it is; undefined: nobody's. */
  ofToken(token: string): UserInfo | undefined
}

export function createAuthenticator(tokens: readonly TokenRecord[]): Authenticator {
  const known = tokens.map(({ token, user, groups }) => ({
    digest: digestOf(token),
    user: { name: user, groups: [...new Set([...groups, AUTHENTICATED_GROUP])] },
  }))
  const ofToken = (token: string) => findToken(known, token)
  return {
    ofToken,
    ofRequest: (request) => {
      const header = request.headers.authorization
      if (header === undefined) return userOfCertificate(request)
      const token = /^bearer +(\S+)$/i.exec(header)?.[1]
      return token === undefined ? undefined : ofToken(token)
    },
  }
}

interface KnownToken {
  readonly digest: Buffer
  readonly user: UserInfo
}

/** Looks at every token, and at digests of equal length: the time it takes tells nothing about the tokens. */
function findToken(known: readonly KnownToken[], token: string): UserInfo | undefined {
  const digest = digestOf(token)
  let found: UserInfo | undefined
  for (const candidate of known) {
    if (timingSafeEqual(candidate.digest, digest)) found = candidate.user
  }
  return found
}

function digestOf(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}

const certificateUsers = new WeakMap<TLSSocket, UserInfo | 'invalid'>()

function userOfCertificate(request: IncomingMessage): UserInfo | undefined {
  const { socket } = request
  if (!(socket instanceof TLSSocket)) return ANONYMOUS
  let user = certificateUsers.get(socket)
  if (user === undefined) {
    user = readCertificate(socket)
    certificateUsers.set(socket, user)
  }
  return user === 'invalid' ? undefined : user
}

function readCertificate(socket: TLSSocket): UserInfo | 'invalid' {
  const certificate = socket.getPeerCertificate()
  if (certificate === undefined || Object.keys(certificate).length === 0) return ANONYMOUS
  if (!socket.authorized) return 'invalid'
  const { CN: name, O: organisations } = certificate.subject as { CN?: string | string[]; O?: string | string[] }
  const user = [name ?? []].flat()[0]
  if (user === undefined) return 'invalid'
  return { name: user, groups: [...[organisations ?? []].flat(), AUTHENTICATED_GROUP] }
}
