import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import {
  expectedEvents,
  judgeAgainstHistory,
  judgeResumable,
  judgeStream,
  type SeenEvent,
  scopeOfPath,
  type Write,
} from './watch-law.ts'

interface Thing {
  metadata: { name: string; namespace: string; uid: string; resourceVersion: string; labels: { on: string } }
}

const SCOPE = { name: 'things', namespace: 'n', from: 0n }
const isOn = (object: unknown): boolean => (object as Thing).metadata.labels.on === 'yes'

/** A legal history out of arbitrary wishes: each creates, changes or deletes one of four objects. */
function historyOf(wishes: readonly { name: number; remove: boolean; on: boolean }[]): Write[] {
  const uids = new Map<string, string>()
  let revision = 10
  return wishes.map(({ name: number, remove, on }) => {
    const name = `thing-${number}`
    const known = uids.get(name)
    const type = known === undefined ? 'ADDED' : remove ? 'DELETED' : 'MODIFIED'
    const uid = known ?? `uid-${revision}`
    if (type === 'DELETED') uids.delete(name)
    else uids.set(name, uid)
    revision += 1 + (number % 2)
    const labels = { on: on ? 'yes' : 'no' }
    return { type, object: { metadata: { name, namespace: 'n', uid, resourceVersion: String(revision), labels } } }
  })
}

const histories = fc
  .array(fc.record({ name: fc.integer({ min: 0, max: 3 }), remove: fc.boolean(), on: fc.boolean() }), {
    minLength: 4,
    maxLength: 30,
  })
  .map(historyOf)

const bookmark = (revision: bigint): SeenEvent => ({
  type: 'BOOKMARK',
  object: { metadata: { resourceVersion: String(revision) } },
})
const revisionOf = ({ object }: SeenEvent): bigint => BigInt((object as Thing).metadata.resourceVersion)
const changed = ({ type, object }: SeenEvent, metadata: Partial<Thing['metadata']>): SeenEvent => ({
  type,
  object: { metadata: { ...(object as Thing).metadata, ...metadata } },
})

/** Ways to spoil an honest stream at a place. Each must be noticed whatever the stream was. */
const TAMPERINGS: Readonly<Record<string, (events: readonly SeenEvent[], at: number) => SeenEvent[]>> = {
  'an event left out': (events, at) => events.toSpliced(at, 1),
  'an event told twice': (events, at) => events.toSpliced(at, 0, events[at]!),
  'two events in the wrong order': (events, at) => events.toSpliced(at, 2, events[at + 1]!, events[at]!),
  'a bookmark ahead of an event': (events, at) => events.toSpliced(at, 0, bookmark(revisionOf(events[at]!))),
  'a bookmark behind what was told': (events, at) =>
    events.toSpliced(at + 1, 0, bookmark(revisionOf(events[at]!) - 1n)),
  'a revision that steps back': (events, at) =>
    events.with(at + 1, changed(events[at + 1]!, { resourceVersion: String(revisionOf(events[at]!) - 1n) })),
  'an event of another namespace': (events, at) => events.with(at, changed(events[at]!, { namespace: 'other' })),
  'an event of another type': (events, at) =>
    events.with(at, { ...events[at]!, type: events[at]!.type === 'MODIFIED' ? 'ADDED' : 'MODIFIED' }),
  'an event after an error': (events, at) => events.toSpliced(at, 0, { type: 'ERROR', object: { kind: 'Status' } }),
}

describe('the law against a history', () => {
  it('accepts what was written, with bookmarks between', () => {
    fc.assert(
      fc.property(histories, (history) => {
        const told = expectedEvents(history, SCOPE).flatMap((event) => [event, bookmark(revisionOf(event))])
        expect(judgeAgainstHistory(told, history, SCOPE)).toEqual([])
      }),
    )
  })

  it('accepts a watch by selector, whose objects come and go as they turn', () => {
    fc.assert(
      fc.property(histories, (history) => {
        const scope = { ...SCOPE, selects: isOn }
        const told = expectedEvents(history, scope)
        expect(judgeAgainstHistory(told, history, scope)).toEqual([])
        expect(told.filter(({ type }) => type !== 'DELETED').every(({ object }) => isOn(object))).toBe(true)
      }),
    )
  })

  test.each(Object.entries(TAMPERINGS))('rejects %s, 200 of 200', (_name, tamper) => {
    const cases = fc.tuple(histories, fc.nat()).filter(([history]) => history.length >= 4)
    fc.assert(
      fc.property(cases, ([history, place]) => {
        const honest = expectedEvents(history, SCOPE)
        // One event follows at least, so that a gap can be seen.
        const spoilt = tamper(honest, place % (honest.length - 2))
        expect(judgeAgainstHistory(spoilt, history, SCOPE)).not.toEqual([])
      }),
      { numRuns: 200 },
    )
  })

  it('rejects a selector that tells an object that does not match, and one that keeps its leaving to itself', () => {
    const history = historyOf([
      { name: 0, remove: false, on: true },
      { name: 0, remove: false, on: false },
      { name: 0, remove: false, on: true },
    ])
    const scope = { ...SCOPE, selects: isOn }
    const honest = expectedEvents(history, scope)
    expect(honest.map(({ type }) => type)).toEqual(['ADDED', 'DELETED', 'ADDED'])
    expect(judgeAgainstHistory(history, history, scope)).not.toEqual([])
    expect(judgeAgainstHistory(honest.toSpliced(1, 1), history, scope)).not.toEqual([])
  })

  it('resumes from any revision', async () => {
    const history = historyOf([0, 1, 0, 2, 1].map((name) => ({ name, remove: name === 1, on: true })))
    const honest = async (from: bigint) => expectedEvents(history, { ...SCOPE, from })
    expect(await judgeResumable(history, SCOPE, honest)).toEqual([])
    const forgetful = async (from: bigint) => (await honest(from)).slice(0, -1)
    expect(await judgeResumable(history, SCOPE, forgetful)).not.toEqual([])
  })
})

describe('the law on one stream', () => {
  const thing = (name: string, revision: number): Thing => ({
    metadata: { name, namespace: 'n', uid: `u-${name}`, resourceVersion: String(revision), labels: { on: 'yes' } },
  })
  const state = { name: 'things' }

  it('takes the first state in any order, and what follows in order', () => {
    const events = [
      { type: 'ADDED', object: thing('a', 9) },
      { type: 'ADDED', object: thing('b', 5) },
      bookmark(12n),
      { type: 'MODIFIED', object: thing('b', 13) },
    ]
    expect(judgeStream(events, state)).toEqual([])
    expect(judgeStream(events.with(3, { type: 'MODIFIED', object: thing('b', 12) }), state)).not.toEqual([])
    expect(judgeStream(events.with(3, { type: 'DELETED', object: thing('c', 13) }), state)).not.toEqual([])
  })

  it('reads namespace and start from a path', () => {
    expect(scopeOfPath('/api/v1/namespaces/x/pods?watch=1&resourceVersion=7')).toMatchObject({
      namespace: 'x',
      from: 7n,
    })
    expect(scopeOfPath('/api/v1/pods?watch=1&resourceVersion=0')).not.toHaveProperty('from')
    expect(scopeOfPath('/api/v1/namespaces/x/pods?resourceVersion=7&sendInitialEvents=true')).not.toHaveProperty('from')
  })
})
