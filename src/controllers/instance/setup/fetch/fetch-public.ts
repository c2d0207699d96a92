/**
 * GET of a URL that a user wrote. https only, TLS verified, public addresses only. A name is looked up once per hop and the
 * connection goes to an address of that very answer, so that a name which changes between check and use gains nothing.
 */
import { lookup as dnsLookup, type LookupAddress } from 'node:dns'
import type { IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import type { Clock } from '../../../../kube/clock.ts'
import { addressRefusal, hostRefusal } from './public-address.ts'

export const MAX_BODY_BYTES = 10 * 1024 * 1024
/** For everything, redirects and body included. */
export const FETCH_TIMEOUT_MS = 5_000
const MAX_REDIRECTS = 5
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

export type FetchResult =
  | { readonly state: 'answered'; readonly status: number; readonly text: string }
  /** By our rules: asking again cannot help. */
  | { readonly state: 'refused'; readonly reason: string }
  /** No answer: DNS, connection, TLS, deadline. */
  | { readonly state: 'unreachable'; readonly reason: string }

export interface FetchOptions {
  /** `head`: the body of the answer is not read. Default `whole`. */
  readonly read?: 'whole' | 'head'
}

export type PublicFetch = (url: string, options?: FetchOptions) => Promise<FetchResult>

export interface PublicFetchDeps {
  readonly clock: Clock
  /** Default: the resolver of the system. */
  readonly resolve?: (host: string) => Promise<readonly LookupAddress[]>
  /** Default: the rules of `public-address.ts`. */
  readonly hostRefusal?: (host: string) => string | undefined
  readonly addressRefusal?: (address: string) => string | undefined
  /** PEM. Default: the well-known authorities. */
  readonly ca?: string
}

/** For messages: without the query, where signed URLs carry their signature. */
export function shownUrl(url: string): string {
  const parts = URL.parse(url)
  return parts === null ? url : `${parts.protocol}//${parts.host}${parts.pathname}`
}

class Refusal extends Error {}

interface Hop {
  readonly url: URL
  readonly signal: AbortSignal
}

interface Rules {
  readonly host: (host: string) => string | undefined
  readonly address: (address: string) => string | undefined
}

export function createPublicFetch(deps: PublicFetchDeps): PublicFetch {
  const rules = { host: deps.hostRefusal ?? hostRefusal, address: deps.addressRefusal ?? addressRefusal }
  const resolve = deps.resolve ?? systemResolve
  const open = async (hop: Hop): Promise<IncomingMessage> => {
    checkUrl(hop.url, rules)
    return connect(hop, await checkedAddresses(hop, resolve, rules), deps.ca)
  }
  return async (url, options = {}) => {
    const controller = new AbortController()
    const { signal } = controller
    const cancel = deps.clock.setTimer(FETCH_TIMEOUT_MS, () => controller.abort())
    try {
      const response = await follow(url, signal, open)
      return { state: 'answered', status: response.statusCode ?? 0, text: await bodyOf(response, options) }
    } catch (error) {
      return explained(error, signal)
    } finally {
      cancel()
    }
  }
}

function explained(error: unknown, signal: AbortSignal): FetchResult {
  if (error instanceof Refusal) return { state: 'refused', reason: error.message }
  const late = `no whole answer within ${FETCH_TIMEOUT_MS / 1000} s`
  const reason = error instanceof Error ? error.message : String(error)
  return { state: 'unreachable', reason: signal.aborted ? late : reason }
}

async function follow(first: string, signal: AbortSignal, open: (hop: Hop) => Promise<IncomingMessage>) {
  let url = parsed(first)
  for (let redirects = 0; ; redirects++) {
    const response = await open({ url, signal })
    const { location } = response.headers
    if (!REDIRECTS.has(response.statusCode ?? 0) || location === undefined) return response
    response.destroy()
    if (redirects === MAX_REDIRECTS) throw new Refusal(`more than ${MAX_REDIRECTS} redirects`)
    url = parsed(location, url)
  }
}

function parsed(text: string, base?: URL): URL {
  const url = URL.parse(text, base?.href)
  if (url === null) throw new Refusal(`${JSON.stringify(text)} is not a URL`)
  return url
}

function checkUrl(url: URL, rules: Rules): void {
  if (url.protocol !== 'https:') throw new Refusal(`only https is allowed, not ${url.protocol.slice(0, -1)}`)
  if (url.username !== '' || url.password !== '') throw new Refusal('a URL with a user name or password is not allowed')
  const refusal = rules.host(url.hostname)
  if (refusal !== undefined) throw new Refusal(refusal)
}

/** Every address must be allowed: a name that mixes public and private ones is no public name. */
async function checkedAddresses(
  { url, signal }: Hop,
  resolve: (host: string) => Promise<readonly LookupAddress[]>,
  rules: Rules,
): Promise<readonly LookupAddress[]> {
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const family = isIP(host)
  const addresses = family === 0 ? await unlessAborted(resolve(host), signal) : [{ address: host, family }]
  for (const { address } of addresses) {
    const refusal = rules.address(address)
    if (refusal !== undefined) throw new Refusal(family === 0 ? `${host}: ${refusal}` : refusal)
  }
  if (addresses.length === 0) throw new Error(`${host} has no address`)
  return addresses
}

/** A look-up of the system cannot be called off, only no longer waited for. */
function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted()
  const aborted = new Promise<never>((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(new Error('aborted')), { once: true })
  })
  return Promise.race([promise, aborted])
}

function connect(
  { url, signal }: Hop,
  addresses: readonly LookupAddress[],
  ca: string | undefined,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const outgoing = httpsRequest(url, {
      // No kept connections: each goes to an address that was checked for this request.
      agent: false,
      lookup: answering(addresses),
      signal,
      headers: { 'user-agent': 'kobe', accept: '*/*', 'accept-encoding': 'identity' },
      ...(ca === undefined ? {} : { ca }),
    })
    outgoing.on('response', resolve)
    outgoing.on('error', reject)
    outgoing.end()
  })
}

function answering(addresses: readonly LookupAddress[]): LookupFunction {
  return (_host, options, callback) => {
    const [first] = addresses
    if (options.all === true) callback(null, [...addresses])
    else callback(null, first?.address ?? '', first?.family)
  }
}

async function bodyOf(response: IncomingMessage, { read }: FetchOptions): Promise<string> {
  if (read === 'head') {
    response.destroy()
    return ''
  }
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > MAX_BODY_BYTES) throw new Refusal(`the answer is larger than ${MAX_BODY_BYTES / 1024 / 1024} MiB`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function systemResolve(host: string): Promise<LookupAddress[]> {
  return new Promise((resolve, reject) => {
    dnsLookup(host, { all: true }, (error, addresses) => (error ? reject(error) : resolve(addresses)))
  })
}
