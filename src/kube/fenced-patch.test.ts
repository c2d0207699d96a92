import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createMemoryKube } from '../../test/support/memory-kube.ts'
import { CONFIG_MAPS } from '../api/core-resources.ts'
import { fencedPatch, fencedStatusPatch } from './fenced-patch.ts'
import { addFinalizer, addFinalizerPatch, removeFinalizer, removeFinalizerPatch } from './finalizers.ts'
import { mergeDiff } from './merge-diff.ts'

/** RFC 7396, as a server applies it. */
function apply(target: unknown, patch: unknown): unknown {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch
  const isFields = typeof target === 'object' && target !== null && !Array.isArray(target)
  const result: Record<string, unknown> = isFields ? { ...target } : {}
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key]
    else result[key] = apply(result[key], value)
  }
  return result
}

const metadata = { name: 'a', namespace: 'n', uid: 'u1', resourceVersion: '7' }
const fence = { uid: 'u1', resourceVersion: '7' }

describe('a merge diff', () => {
  it.each([
    ['equal values', { a: 1, b: { c: [1] } }, { b: { c: [1] }, a: 1 }, undefined],
    ['a changed field alone', { a: 1, b: 2 }, { a: 1, b: 3 }, { b: 3 }],
    ['a nested change with nothing around it', { a: { b: 1, c: 2 } }, { a: { b: 1, c: 3 } }, { a: { c: 3 } }],
    ['a cleared field as null', { a: 1, b: 2 }, { a: 1 }, { b: null }],
    ['a field set to undefined as cleared', { a: 1 }, { a: undefined }, { a: null }],
    ['an absent field that is set to undefined as equal', {}, { a: undefined }, undefined],
    ['a list as a whole', { a: [{ x: 1 }, { x: 2 }] }, { a: [{ x: 1 }, { x: 3 }] }, { a: [{ x: 1 }, { x: 3 }] }],
    ['undefined inside a list as absent', { a: [{ x: 1 }] }, { a: [{ x: 1, y: undefined }] }, undefined],
    ['an empty list', { a: [1] }, { a: [] }, { a: [] }],
    ['a new object without its undefined fields', {}, { a: { b: 1, c: undefined } }, { a: { b: 1 } }],
    ['a map that becomes empty', { a: { b: 1 } }, { a: {} }, { a: { b: null } }],
    ['another kind of value', { a: { b: 1 } }, { a: 'text' }, { a: 'text' }],
  ])('shows %s', (_, from, to, expected) => {
    expect(mergeDiff(from, to)).toEqual(expected)
  })

  it('applied to the first value gives the second, for any two values; and there is none for equal ones', () => {
    const leaf = fc.oneof(fc.integer(), fc.string(), fc.boolean(), fc.array(fc.integer(), { maxLength: 3 }))
    const key = fc.constantFrom('a', 'b', 'c')
    const value = fc.dictionary(key, fc.oneof(leaf, fc.dictionary(key, fc.oneof(leaf, fc.dictionary(key, leaf)))))
    fc.assert(
      fc.property(value, value, (from, to) => {
        const patch = mergeDiff(from, to)
        expect(apply(from, patch ?? {})).toEqual(to)
        expect(mergeDiff(to, to)).toBeUndefined()
      }),
    )
  })
})

describe('a fenced status patch', () => {
  it('holds the difference and the fence', () => {
    const patch = fencedStatusPatch<object>(
      { metadata, status: { phase: 'Creating', error: 'slow' } },
      { phase: 'Ready' },
    )
    expect(patch).toEqual({ type: 'merge', body: { metadata: fence, status: { phase: 'Ready', error: null } } })
  })

  it('is none when nothing changed: no change, no write', () => {
    expect(fencedStatusPatch<object>({ metadata, status: { phase: 'Ready' } }, { phase: 'Ready' })).toBeUndefined()
    expect(fencedStatusPatch<object>({ metadata }, {})).toBeUndefined()
  })

  it('is refused for an object that came from no server', () => {
    expect(() => fencedStatusPatch<object>({ metadata: { name: 'a' } }, { phase: 'Ready' })).toThrow(TypeError)
  })
})

describe('a fenced patch', () => {
  it('replaces the given fields and leaves the others alone', () => {
    const observed = { metadata: { ...metadata, labels: { keep: '1', drop: '2' }, annotations: { other: 'x' } } }
    const patch = fencedPatch(observed, { metadata: { labels: { keep: '1', add: '3' } } })
    expect(patch?.body).toEqual({ metadata: { labels: { drop: null, add: '3' }, ...fence } })
  })

  it('compares the spec', () => {
    const observed = { metadata, spec: { size: 2, image: 'a' } }
    expect(fencedPatch(observed, { spec: { size: 3, image: 'a' } })?.body).toEqual({
      metadata: fence,
      spec: { size: 3 },
    })
    expect(fencedPatch(observed, { spec: { size: 2, image: 'a' } })).toBeUndefined()
  })
})

describe('a finalizer', () => {
  it('is added behind those of others, once', () => {
    const object = { metadata: { ...metadata, finalizers: ['theirs'] } }
    expect(addFinalizerPatch(object, 'ours')?.body).toEqual({ metadata: { finalizers: ['theirs', 'ours'], ...fence } })
    expect(addFinalizerPatch({ metadata: { ...metadata, finalizers: ['ours'] } }, 'ours')).toBeUndefined()
  })

  it('is not added to an object that is being deleted', () => {
    const object = { metadata: { ...metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } }
    expect(addFinalizerPatch(object, 'ours')).toBeUndefined()
  })

  it('is removed alone, and only when it is there', () => {
    const object = { metadata: { ...metadata, finalizers: ['first', 'ours', 'last'] } }
    expect(removeFinalizerPatch(object, 'ours')?.body).toEqual({
      metadata: { finalizers: ['first', 'last'], ...fence },
    })
    expect(removeFinalizerPatch(object, 'unknown')).toBeUndefined()
  })

  it('of somebody else is never lost in a race: the later write is a Conflict', async () => {
    const kube = createMemoryKube()
    const observed = await kube.create(CONFIG_MAPS, { metadata: { name: 'a', namespace: 'n' } })
    await addFinalizer(kube, CONFIG_MAPS, observed, 'theirs')
    await expect(addFinalizer(kube, CONFIG_MAPS, observed, 'ours')).rejects.toMatchObject({ code: 'Conflict' })
    const seen = await kube.get(CONFIG_MAPS, { name: 'a', namespace: 'n' })
    const both = await addFinalizer(kube, CONFIG_MAPS, seen, 'ours')
    expect(both.metadata.finalizers).toEqual(['theirs', 'ours'])
    await removeFinalizer(kube, CONFIG_MAPS, both, 'ours')
    expect((await kube.get(CONFIG_MAPS, { name: 'a', namespace: 'n' })).metadata.finalizers).toEqual(['theirs'])
  })

  it('of an object that has vanished is removed already', async () => {
    const object = { metadata: { ...metadata, finalizers: ['ours'] } }
    await removeFinalizer(createMemoryKube(), CONFIG_MAPS, object, 'ours')
  })
})
