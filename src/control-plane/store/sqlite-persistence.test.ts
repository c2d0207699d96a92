import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { openSqlitePersistence } from './sqlite-persistence.ts'

const folder = mkdtempSync(join(tmpdir(), 'persistence-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const row = (key: string, revision: number, text = '{}') => ({ resource: 'things', key, revision, text })

describe('openSqlitePersistence', () => {
  it('gives back what was put, in key order, and the highest revision', () => {
    const path = join(folder, 'a.db')
    const first = openSqlitePersistence({ path })
    first.put(row('b', 1))
    first.put(row('a', 2))
    first.put(row('b', 3, '{"x":1}'))
    first.close()
    const second = openSqlitePersistence({ path })
    expect([...second.load()]).toEqual([row('a', 2), row('b', 3, '{"x":1}')])
    expect(second.revision).toBe(3)
    second.close()
  })

  it('remembers the revision of a removal', () => {
    const path = join(folder, 'b.db')
    const first = openSqlitePersistence({ path })
    first.put(row('a', 1))
    first.remove('things', 'a', 2)
    first.close()
    const second = openSqlitePersistence({ path })
    expect([[...second.load()], second.revision]).toEqual([[], 2])
    second.close()
  })

  it('on a full disk refuses the write, loses nothing and goes on reading and writing', () => {
    const path = join(folder, 'c.db')
    const store = openSqlitePersistence({ path, maxBytes: 64 * 1024 })
    store.put(row('kept', 1))
    const large = `{"a":"${'x'.repeat(100_000)}"}`
    expect(() => store.put(row('large', 2, large))).toThrowError(expect.objectContaining({ code: 'WriteFailed' }))
    expect(() => store.put(row('kept', 2, large))).toThrowError(expect.objectContaining({ code: 'WriteFailed' }))
    expect([...store.load()]).toEqual([row('kept', 1)])
    store.put(row('small', 2))
    store.remove('things', 'kept', 3)
    store.close()
    const again = openSqlitePersistence({ path })
    expect([[...again.load()], again.revision]).toEqual([[row('small', 2)], 3])
    again.close()
  })
})
