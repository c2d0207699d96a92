import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { sourceStack } from './source-stack.ts'

const trace = (place: string) => `Error: no\n    at run (${place})\n    at file:///other.js:2:7\n    at node:x:1:1`

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'kobe-stack-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

test('the trace of a bundle names its sources, and leaves the rest', async () => {
  const folder = await newFolder()
  const program = join(folder, 'program.js')
  // Line 2, column 7 of the bundle is line 11, column 3 of the source.
  const map = { version: 3, sources: ['src/run.ts'], names: [], mappings: ';MAUE' }
  await writeFile(`${program}.map`, JSON.stringify(map))
  expect(sourceStack(trace(`file://${program}:2:7`), program)).toBe(trace(`${folder}/src/run.ts:11:3`))
})

test('the trace of a program without a map stays as it is', async () => {
  const program = join(await newFolder(), 'program.js')
  const stack = trace(`file://${program}:2:7`)
  expect(sourceStack(stack, program)).toBe(stack)
})
