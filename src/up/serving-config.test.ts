import { describe, expect, it } from 'vitest'
import { ConfigError } from '../config.ts'
import { readServing } from './serving-config.ts'

describe('readServing', () => {
  it('keeps diagnostics in the state folder and the limits as they are, when nothing is set', () => {
    expect(readServing({}, '/state')).toEqual({ diagnosticsDir: '/state/diagnostics', limits: {} })
  })

  it('takes directory and limits of the environment', () => {
    const env = { KOBE_DIAGNOSTICS_DIR: '/d', KOBE_REQUESTS_PER_SECOND: '2.5', KOBE_REQUEST_BURST: '7' }
    const limits = { requestsPerSecond: 2.5, requestBurst: 7 }
    expect(readServing(env, '/state')).toEqual({ diagnosticsDir: '/d', limits })
  })

  it.each(['0', '-1', 'many', 'Infinity'])('refuses a rate of %s and names the variable', (text) => {
    expect(() => readServing({ KOBE_REQUESTS_PER_SECOND: text }, '/state')).toThrow(ConfigError)
    expect(() => readServing({ KOBE_REQUESTS_PER_SECOND: text }, '/state')).toThrow('KOBE_REQUESTS_PER_SECOND')
  })
})
