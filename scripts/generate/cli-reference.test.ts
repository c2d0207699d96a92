import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { cliReference } from './cli-reference.ts'

test('docs/reference/cli.md says what the command table says', async () => {
  for (const [file, content] of await cliReference.run()) {
    expect(readFileSync(join(import.meta.dirname, '..', '..', file), 'utf8')).toBe(content)
  }
})
