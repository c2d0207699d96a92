/**
 * One GET over HTTP to somebody who is no Kubernetes API. Redirects are not followed, so a token goes to nobody else; an answer
 * is read up to 1 MiB. Messages name the URL without its query, which may hold something secret.
 */
import http, { type IncomingMessage } from 'node:http'
import https from 'node:https'
import type { HttpAccess } from '../../../api/v1alpha1/health-check.ts'
import type { ManagedCluster } from '../../../api/v1alpha1/managed-cluster.ts'
import type { Attempt } from './check.ts'

const LARGEST_BYTES = 1024 * 1024

export class NoAnswer extends Error {
  override readonly name = 'NoAnswer'
}

export interface Answer {
  readonly status: number
  readonly text: string
}

/** Without query, for messages. */
export function shownUrl(url: string): string {
  const { origin, pathname } = new URL(url)
  return `${origin}${pathname === '/' ? '' : pathname}`
}

/** @throws NoAnswer, KubeError, UnusableSecret */
export async function ask(url: string, access: HttpAccess, from: ManagedCluster, attempt: Attempt): Promise<Answer> {
  const read = async (ref: HttpAccess['caSecretRef']): Promise<string | undefined> =>
    ref && (await attempt.secret({ name: ref.name, namespace: from.metadata.namespace ?? '' }, ref.key))
  const [token, ca] = await Promise.all([read(access.bearerTokenSecretRef), read(access.caSecretRef)])
  try {
    const response = await open(url, { token, ca, signal: attempt.signal })
    return { status: response.statusCode ?? 0, text: await readText(response) }
  } catch (error) {
    throw new NoAnswer(`${shownUrl(url)} does not answer: ${reasonOf(error)}`, { cause: error })
  }
}

interface Opening {
  readonly token: string | undefined
  readonly ca: string | undefined
  readonly signal: AbortSignal
}

function open(url: string, { token, ca, signal }: Opening): Promise<IncomingMessage> {
  const headers = { 'user-agent': 'kobe', ...(token === undefined ? {} : { authorization: `Bearer ${token.trim()}` }) }
  const { get } = url.startsWith('https:') ? https : http
  return new Promise((resolve, reject) => {
    const request = get(url, { headers, signal, agent: false, ...(ca === undefined ? {} : { ca }) })
    request.on('response', resolve)
    request.on('error', reject)
  })
}

async function readText(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of response) {
    bytes += (chunk as Buffer).length
    if (bytes > LARGEST_BYTES) throw new RangeError(`more than ${LARGEST_BYTES} bytes`)
    chunks.push(chunk as Buffer)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** The code where there is one: texts of the system may quote what was sent. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message
}
