import { describe, expect, it } from 'vitest'
import { aPool, CAPABILITIES, observedPool } from '../testing/builders.ts'
import { planPool } from './plan-pool.ts'
import { unsupportedMessage, unsupportedParts } from './unsupported.ts'

const WITHOUT_BACKEND = { gates: new Set<string>(), runsBootstrapJobs: false, maxConcurrentCreates: 0 }
const withBootstrap = aPool({ bootstraps: [{ name: 'seed', params: {} }] })

describe('what a backend can never give', () => {
  it.each([
    ['a bootstrap with a job', new Set(['seed']), ['spec.bootstraps']],
    ['a bootstrap of files', new Set<string>(), []],
    ['a bootstrap nobody has read', undefined, ['spec.bootstraps']],
  ])('on a backend without jobs: %s', (_what, bootstrapJobs, paths) => {
    const asked = { pool: withBootstrap, capabilities: CAPABILITIES, ...(bootstrapJobs && { bootstrapJobs }) }
    expect(unsupportedParts(asked).map(({ path }) => path)).toEqual(paths)
  })

  it('without a backend nothing is created, and the pool says so in a condition and one note', () => {
    const observed = observedPool({ pool: aPool({ backend: { type: 'k3s' } }), capabilities: WITHOUT_BACKEND })
    const { actions, notes, status } = planPool(observed, 0)
    const message =
      'this version of Kobe cannot run clusters of backend k3s yet: nothing is created; choose another spec.backend.type'
    expect(unsupportedMessage('k3s', unsupportedParts(observed))).toBe(message)
    expect(actions).toEqual([])
    expect(notes.filter(({ level }) => level === 'Warning')).toEqual([
      { reason: 'Unsupported', message, level: 'Warning' },
    ])
    expect(status.conditions).toContainEqual(expect.objectContaining({ type: 'Stalled', status: 'True', message }))
  })
})
