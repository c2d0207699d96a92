/** `npm test -- rules` lists every rule of the CloudStack source by number, with its test or the later part that owns it. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { RULES } from './cloudstack-rules.ts'

const ROOT = join(import.meta.dirname, '..', '..')

/** Names of tests and suites: `C14: ...`, or several numbers at once, `C4, C5: ...`. */
function numbersIn(file: string): Set<string> {
  const text = readFileSync(join(ROOT, file), 'utf8')
  const titles = text.match(/['"`][CPD]\d+(?:, [CPD]\d+)*: /g) ?? []
  return new Set(titles.flatMap((title) => title.match(/[CPD]\d+/g) ?? []))
}

const lines = RULES.map(({ number, says, home }) => {
  const where = 'test' in home ? `tested in ${home.test}` : `belongs to ${home.later}, later`
  return { line: `${number} ${says}: ${where}`, number, home }
})

describe('rules of the CloudStack source', () => {
  it.each(lines)('$line', ({ number, home }) => {
    if ('test' in home) expect(numbersIn(home.test)).toContain(number)
    else expect(home.later).not.toBe('')
  })

  it('are all there, once each', () => {
    const upTo = (letter: string, count: number) => Array.from({ length: count }, (_none, at) => `${letter}${at + 1}`)
    expect(RULES.map(({ number }) => number)).toEqual([...upTo('C', 30), ...upTo('P', 7), ...upTo('D', 13)])
  })
})
