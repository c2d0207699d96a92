/** What an administrator may change of how the operator serves, from the environment. */
import { join, resolve } from 'node:path'
import { ConfigError, type Variables } from '../config.ts'
import type { OperatorOptions } from '../operator.ts'

/**
 * - `KOBE_DIAGNOSTICS_DIR`: where diagnostics of leases are kept; default `diagnostics` in the state folder.
 * - `KOBE_REQUESTS_PER_SECOND`, `KOBE_REQUEST_BURST`: what one principal may ask of the HTTP API; 100 and 1000 by default.
 */
export function readServing(env: Variables, stateDir: string): Pick<OperatorOptions, 'diagnosticsDir' | 'limits'> {
  const requestsPerSecond = positive(env, 'KOBE_REQUESTS_PER_SECOND')
  const requestBurst = positive(env, 'KOBE_REQUEST_BURST')
  return {
    diagnosticsDir: resolve(env['KOBE_DIAGNOSTICS_DIR'] || join(stateDir, 'diagnostics')),
    limits: {
      ...(requestsPerSecond === undefined ? {} : { requestsPerSecond }),
      ...(requestBurst === undefined ? {} : { requestBurst }),
    },
  }
}

function positive(env: Variables, name: string): number | undefined {
  const text = env[name] ?? ''
  if (text === '') return undefined
  const value = Number(text)
  if (Number.isFinite(value) && value > 0) return value
  throw new ConfigError(`${name}=${text} is not a number above zero`)
}
