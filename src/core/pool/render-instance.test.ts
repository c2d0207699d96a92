import { describe, expect, it } from 'vitest'
import { aPool } from '../testing/builders.ts'
import { renderInstance } from './render-instance.ts'

describe('a new member', () => {
  it('carries the documented labels, its pool as controller, and the finalizer before anything is made for it (I9)', () => {
    const { metadata, spec } = renderInstance(aPool(), 'pool-ci-small-1')
    expect(metadata.labels).toEqual({
      'app.kubernetes.io/managed-by': 'kobe-operator',
      'kobe.kunobi.ninja/pool': 'ci-small',
    })
    expect(metadata.finalizers).toEqual(['kobe.kunobi.ninja/instance-cleanup'])
    expect(metadata.ownerReferences).toMatchObject([{ kind: 'ClusterPool', uid: 'pool-uid', controller: true }])
    expect(spec.poolRef).toEqual({ name: 'ci-small', uid: 'pool-uid' })
  })
})
