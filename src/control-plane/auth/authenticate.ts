/** Tells who sent a request: client certificate first, then bearer token. */
import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { TLSSocket } from 'node:tls'
import type { TokenRecord } from '../options.ts'
import type { TokenService } from '../tokens/token-service.ts'
import { ISSUER, NOT_A_TOKEN, type TokenVerdict } from '../tokens/verdict.ts'
import { ANONYMOUS, AUTHENTICATED_GROUP, type UserInfo } from './user.ts'

export interface Authenticator {
  /**
   * Answers `ANONYMOUS` without credentials, undefined for credentials that are not valid. A promise only where a token
   * of a ServiceAccount is seen for the first time.
   */
  ofRequest(request: IncomingMessage): UserInfo | undefined | Promise<UserInfo | undefined>
  /** Whose bearer token it is, when it is one for any of the audiences. */
  ofToken(token: string, audiences: readonly string[]): TokenVerdict | Promise<TokenVerdict>
}

/** Whom tokens for this server itself are for. */
export const OWN_AUDIENCES: readonly string[] = [ISSUER]

export function createAuthenticator(tokens: readonly TokenRecord[], accounts: TokenService): Authenticator {
  const known = tokens.map(({ token, user, groups }) => ({
    digest: digestOf(token),
    user: { name: user, groups: [...new Set([...groups, AUTHENTICATED_GROUP])] },
  }))
  const ofToken: Authenticator['ofToken'] = (token, audiences) => {
    const user = findToken(known, token)
    if (user !== undefined) return forAudiences(user, audiences)
    return isJwt(token) ? accounts.verify(token, audiences) : NOT_A_TOKEN
  }
  return {
    ofToken,
    ofRequest: (request) => {
      const certified = userOfCertificate(request)
      const token = bearerToken(request)
      if (token === undefined || (certified !== undefined && certified !== ANONYMOUS)) return certified
      const verdict = ofToken(token, OWN_AUDIENCES)
      return verdict instanceof Promise ? verdict.then(({ user }) => user) : verdict.user
    },
  }
}

/** Other schemes, and none, say nothing: such a request is anonymous. */
function bearerToken({ headers }: IncomingMessage): string | undefined {
  const { authorization } = headers
  return authorization === undefined ? undefined : /^bearer +(\S+)/i.exec(authorization)?.[1]
}

/** A static token is for this server alone. */
function forAudiences(user: UserInfo, wanted: readonly string[]): TokenVerdict {
  const audiences = wanted.filter((audience) => OWN_AUDIENCES.includes(audience))
  return audiences.length === 0 ? NOT_A_TOKEN : { user, audiences }
}

function isJwt(token: string): boolean {
  return /^[\w-]+\.[\w-]+\.[\w-]+$/.test(token)
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
  return {
    name: user,
    groups: [...[organisations ?? []].flat(), AUTHENTICATED_GROUP],
    extra: { 'authentication.kubernetes.io/credential-id': [`X509SHA256=${fingerprint(certificate.fingerprint256)}`] },
  }
}

function fingerprint(text: string): string {
  return text.replaceAll(':', '').toLowerCase()
}
