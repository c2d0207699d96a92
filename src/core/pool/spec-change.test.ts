import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { aPool, HASH_A, HASH_B, observedPool } from '../testing/builders.ts'
import { changedSources, describeChange, specChangedNotes } from './spec-change.ts'
import { explainDrift, type SpecHashInputs, specHashInputs, specHashSources } from './spec-hash.ts'

const sha = (text: string) => createHash('sha256').update(text).digest('hex')
const inputsOf = (over: Partial<SpecHashInputs> = {}): SpecHashInputs => ({
  ...specHashInputs({ pool: aPool(), operator: {}, bootstraps: [], fingerprint: { image: 'one' } }),
  ...over,
})
const sourcesOf = (over: Partial<SpecHashInputs> = {}) => specHashSources(inputsOf(over), sha)

describe('which source changed', () => {
  it.each(['spec', 'operator', 'bootstraps', 'workload'] as const)('a change of %s names it alone', (source) => {
    expect(changedSources(sourcesOf(), sourcesOf({ [source]: 'another' }))).toEqual([source])
  })

  it('is not told when nothing changed, nothing is known, or another algorithm made the digests', () => {
    expect(changedSources(sourcesOf(), sourcesOf())).toEqual([])
    expect(changedSources(undefined, sourcesOf())).toEqual([])
    expect(changedSources({ ...sourcesOf(), version: 99 }, sourcesOf({ spec: 'another' }))).toEqual([])
  })
})

describe('the note about a changed template', () => {
  const before = inputsOf()
  const after = inputsOf({
    ...specHashInputs({
      pool: aPool({ cluster: { version: 'v1.37.0', servers: 1, serverArgs: ['--token=hunter2'] } }),
      operator: {},
      bootstraps: [],
      fingerprint: { image: 'two' },
    }),
  })
  const pool = aPool(
    {},
    { status: { currentSpecHash: HASH_A, specHashSources: specHashSources(before, sha) } as never },
  )
  const known = { state: 'known', hash: HASH_B, version: 1, sources: specHashSources(after, sha) } as const

  it('names the sources, the hashes and the changes', () => {
    const [note] = specChangedNotes(
      observedPool({ pool, specHash: { ...known, changes: explainDrift(before, after) } }),
    )
    expect(note?.message).toBe(
      `Spec changed: spec (the spec of the pool) and workload (what the backend makes of it): cluster.serverArgs[0], cluster.version "v1.36.0" -> "v1.37.0", workload image; spec hash ${HASH_A} -> ${HASH_B}`,
    )
  })

  it('names the sources when the old inputs are not known, as after a restart', () => {
    const [note] = specChangedNotes(observedPool({ pool, specHash: known }))
    expect(note?.message).toContain(
      'spec (the spec of the pool) and workload (what the backend makes of it); spec hash',
    )
  })

  it('is not written for a pool that is seen for the first time', () => {
    expect(specChangedNotes(observedPool({ specHash: known }))).toEqual([])
  })

  it('tells no value that may be a secret', () => {
    const change = { path: 'addons[0].manifest', before: 'password: a', after: 'password: b' }
    expect(describeChange({ source: 'spec', ...change })).toBe('addons[0].manifest')
    expect(describeChange({ source: 'bootstraps', ...change, path: '[0].spec.files' })).toBe(
      'bootstraps [0].spec.files',
    )
  })
})
