/** Every test that the page of known failures names exists: a renamed one would leave a claim without proof. */
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'

const root = new URL('../../', import.meta.url)
const read = (path: string) => readFileSync(new URL(path, root), 'utf8')

const ROW = /^\| .* \| .* \| (?<tests>`.*) \|$/
const TEST = /^`(?<path>[^`]+)`: (?<title>.+)$/

const named = read('docs/reference/known-failures.md')
  .split('\n')
  .flatMap((line) => ROW.exec(line)?.groups?.['tests']?.split('<br>') ?? [])
  .map((text) => TEST.exec(text)?.groups ?? { path: '', title: text })

describe('the page of known failures', () => {
  test('names many', () => {
    expect(named.length).toBeGreaterThan(50)
  })

  test.each(named)('$path has: $title', ({ path = '', title = '' }) => {
    expect(read(path)).toContain(title)
  })
})
