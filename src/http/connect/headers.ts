/** Which headers cross the proxy. Works on raw header lists, so order, case and repetition stay as they were sent. */

/** Headers that speak about one connection only (RFC 9110, 7.6.1). */
const HOP_BY_HOP = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/**
 * Headers by which a request could claim to be somebody: none of them may reach a leased cluster beside our own credential.
 * `Impersonate-*` may: it asks the cluster for *fewer* rights than the administrator that a lease gives. Dropped, `kubectl --as`
 * would silently act as the administrator.
 */
const IDENTITY = new Set(['authorization', 'host', 'expect', 'forwarded', 'x-real-ip'])
const IDENTITY_PREFIXES = ['x-remote-', 'x-forwarded-']

/** A WebSocket subprotocol that carries a bearer token, as browsers send it to Kubernetes. */
const TOKEN_SUBPROTOCOL = 'base64url.bearer.authorization.k8s.io.'

export type RawHeaders = readonly string[]

/** What a leased cluster gets of a request. */
export function requestHeaders(raw: RawHeaders): string[] {
  const dropped = named(raw)
  return filter(raw, (name) => !dropped.has(name) && !isIdentity(name))
}

/** The same for a request that asks to upgrade: `Connection` and `Upgrade` are what it is about. */
export function upgradeHeaders(raw: RawHeaders): string[] {
  const dropped = named(raw)
  const kept = filter(
    raw,
    (name) => !(HOP_BY_HOP.has(name) || isIdentity(name)) && (!dropped.has(name) || name.startsWith('sec-websocket-')),
  )
  const upgrade = valuesOf(raw, 'upgrade').join(', ')
  return [...kept.map(withoutToken), 'Connection', 'Upgrade', 'Upgrade', upgrade]
}

/** What a client gets of an answer. */
export function responseHeaders(raw: RawHeaders): string[] {
  const dropped = named(raw)
  return filter(raw, (name) => !dropped.has(name) && name !== 'x-request-id')
}

/** `Connection` names further headers of this one connection. */
function named(raw: RawHeaders): Set<string> {
  const listed = valuesOf(raw, 'connection').flatMap((value) => value.split(','))
  return new Set([...HOP_BY_HOP, ...listed.map((name) => name.trim().toLowerCase())])
}

export function valuesOf(raw: RawHeaders, wanted: string): string[] {
  const values: string[] = []
  for (let index = 0; index + 1 < raw.length; index += 2) {
    if (raw[index]?.toLowerCase() === wanted) values.push(raw[index + 1] ?? '')
  }
  return values
}

function isIdentity(name: string): boolean {
  return IDENTITY.has(name) || IDENTITY_PREFIXES.some((prefix) => name.startsWith(prefix))
}

function filter(raw: RawHeaders, keep: (name: string) => boolean): string[] {
  const kept: string[] = []
  for (let index = 0; index + 1 < raw.length; index += 2) {
    const name = raw[index] ?? ''
    if (keep(name.toLowerCase())) kept.push(name, raw[index + 1] ?? '')
  }
  return kept
}

function withoutToken(value: string): string {
  if (!value.includes(TOKEN_SUBPROTOCOL)) return value
  return value
    .split(',')
    .map((protocol) => protocol.trim())
    .filter((protocol) => !protocol.startsWith(TOKEN_SUBPROTOCOL))
    .join(', ')
}
