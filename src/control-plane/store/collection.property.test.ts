import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Collection } from './collection.ts'
import { Entry } from './entry.ts'

const KEYS = ['a/x', 'a/y', 'a-b/x', 'b/x', 'b/y', 'b/z']

type State = ReadonlyMap<string, number>

/** Writes and deletes at random; answers the collection and what it held at each revision. */
function play(steps: ReadonlyArray<readonly [string, boolean]>, maxEvents: number) {
  const collection = new Collection(maxEvents, 0)
  const states: State[] = [new Map()]
  for (const [key, isDelete] of steps) {
    const revision = states.length
    const previous = collection.get(key)
    if (isDelete && previous === undefined) continue
    const entry = new Entry(key, revision, '{}')
    const state = new Map(states.at(-1))
    if (isDelete) state.delete(key)
    else state.set(key, revision)
    const type = isDelete ? 'DELETED' : previous === undefined ? 'ADDED' : 'MODIFIED'
    collection.apply({ type, resource: 'things', entry, ...(previous === undefined ? {} : { previous }) })
    states.push(state)
  }
  return { collection, states }
}

const steps = fc.array(fc.tuple(fc.constantFrom(...KEYS), fc.boolean()), { maxLength: 60 })

function sorted(state: State | undefined, prefix: string): Array<[string, number]> {
  return [...(state ?? [])].filter(([key]) => key.startsWith(prefix)).sort(([a], [b]) => (a < b ? -1 : 1))
}

describe('a collection, after any writes', () => {
  it('pages through every remembered state exactly as it was', () => {
    fc.assert(
      fc.property(steps, fc.integer({ min: 1, max: 4 }), fc.constantFrom('', 'a/', 'b/'), (moves, limit, prefix) => {
        const { collection, states } = play(moves, 20)
        for (let revision = collection.compacted; revision < states.length; revision += 1) {
          const seen: Array<[string, number]> = []
          let after: string | undefined
          do {
            const page = collection.pageAt(revision, { prefix, limit, ...(after === undefined ? {} : { after }) })
            seen.push(...page.entries.map((entry): [string, number] => [entry.key, entry.revision]))
            expect(page.remaining).toBe(sorted(states[revision], prefix).length - seen.length)
            after = page.lastKey
          } while (after !== undefined)
          expect(seen).toEqual(sorted(states[revision], prefix))
        }
      }),
    )
  })

  it('gives events that lead from every remembered state to the present one', () => {
    fc.assert(
      fc.property(steps, fc.integer({ min: 1, max: 40 }), (moves, maxEvents) => {
        const { collection, states } = play(moves, maxEvents)
        for (let revision = collection.compacted; revision < states.length; revision += 1) {
          const state = new Map(states[revision])
          for (const { type, entry } of collection.eventsAfter(revision)) {
            if (type === 'DELETED') state.delete(entry.key)
            else state.set(entry.key, entry.revision)
          }
          expect(sorted(state, '')).toEqual(sorted(states.at(-1), ''))
        }
      }),
    )
  })
})
