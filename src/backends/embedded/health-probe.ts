/** One health check of a control plane: GET /readyz over verified TLS. */
import { Agent, type RequestOptions, request } from 'node:https'
import type { ProbeResult } from '../backend.ts'
import { systemErrorCode } from './atomic-file.ts'
import type { Credentials } from './launcher.ts'

export const probeTimeoutMs = 5000

export interface HealthProbe {
  check(target: Credentials): Promise<ProbeResult>
  close(): void
}

/** Connections are kept: a handshake costs a member more than the check. */
export function createHealthProbe(timeoutMs = probeTimeoutMs): HealthProbe {
  const agent = new Agent({ keepAlive: true, maxCachedSessions: 0 })
  return {
    async check({ url, pki }) {
      const signal = AbortSignal.timeout(timeoutMs)
      const options = { agent, ca: pki.caCert, cert: pki.adminCert, key: pki.adminKey, signal }
      try {
        const status = await statusOf(new URL('/readyz', url), options)
        return status === 200 ? { healthy: true } : { healthy: false, message: `/readyz answers ${status}` }
      } catch (error) {
        if (signal.aborted) return { healthy: false, message: `/readyz did not answer within ${timeoutMs / 1000} s` }
        return { healthy: false, message: `/readyz: ${error instanceof Error ? error.message : String(error)}` }
      }
    },
    close: () => agent.destroy(),
  }
}

/** A kept connection may have been closed by the other side in the same moment; that says nothing of its health. */
async function statusOf(url: URL, options: RequestOptions): Promise<number> {
  const first = await send(url, options)
  if (typeof first === 'number') return first
  const second = await send(url, options)
  if (typeof second === 'number') return second
  throw second.error
}

type StaleConnection = { readonly error: Error }

function send(url: URL, options: RequestOptions): Promise<number | StaleConnection> {
  return new Promise((resolve, reject) => {
    const sent = request(url, options, (response) => {
      response.resume()
      response.once('end', () => resolve(response.statusCode ?? 0))
      response.once('error', reject)
    })
    sent.once('error', (error) => {
      const stale = sent.reusedSocket && ['ECONNRESET', 'EPIPE'].includes(systemErrorCode(error) ?? '')
      if (stale) resolve({ error })
      else reject(error)
    })
    sent.end()
  })
}
