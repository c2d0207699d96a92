import { describe, expect, it } from 'vitest'
import { aPool, aReady, DIGEST, HASH_A, HASH_B } from '../testing/builders.ts'
import { explainMembers } from './explain-members.ts'

const sources = (spec: string) => ({ version: 1, spec, operator: HASH_A, bootstraps: HASH_A, workload: HASH_A })
const createdWith = (version: string) => ({
  operatorVersion: 'test',
  configDigest: DIGEST,
  backend: { type: 'embedded' as const },
  cluster: { version, servers: 1, serverArgs: [] },
})
const pool = aPool({}, { status: { currentSpecHash: HASH_B, specHashSources: sources(HASH_B) } as never })

describe('why a member is outdated', () => {
  it('names the source and the change since it was made', () => {
    const old = aReady({ n: 2, specHashSources: sources(HASH_A), createdWith: createdWith('v1.35.0') })
    const fresh = aReady({
      n: 1,
      specHash: HASH_B,
      specHashSources: sources(HASH_B),
      createdWith: createdWith('v1.36.0'),
    })
    expect(explainMembers(pool, [old, fresh])).toEqual([
      { name: 'pool-ci-small-1', phase: 'Ready', specHash: HASH_B, state: 'current', sources: [], changes: [] },
      {
        name: 'pool-ci-small-2',
        phase: 'Ready',
        specHash: HASH_A,
        state: 'drifted',
        sources: ['spec'],
        changes: [{ source: 'spec', path: 'cluster.version', before: 'v1.35.0', after: 'v1.36.0' }],
      },
    ])
  })

  it('is not told of a member without digests, and nothing is known while the pool was not observed', () => {
    expect(explainMembers(pool, [aReady({})])[0]).toMatchObject({ state: 'drifted', sources: [] })
    expect(explainMembers(aPool(), [aReady({})])[0]).toMatchObject({ state: 'unknown', sources: [], changes: [] })
  })
})
