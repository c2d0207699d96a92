import { mkdtemp, rename, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { bundleFolder, currentBundle, fileState, manifestFile } from './program-bundle.ts'

let root: string
const at = (name: string) => join(root, name)
const bundle = () => currentBundle(root, 'member-process')

async function writeManifest(): Promise<void> {
  const sources = Object.fromEntries(['a.ts', 'b.ts'].map((name) => [at(name), fileState(at(name))]))
  const files = { 'member-process': 'member.js', 'shared-process': 'shared.js' }
  await writeFile(at(manifestFile), JSON.stringify({ files, sources }))
}

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'kobe-bundle-'))
  for (const name of ['a.ts', 'b.ts', 'member.js', 'shared.js']) await writeFile(at(name), name)
  await writeManifest()
})
afterEach(() => rm(root, { recursive: true, force: true }))

describe('a bundle is used', () => {
  test('while its sources are as they were', () => {
    expect(bundle()).toBe(at('member.js'))
    expect(currentBundle(root, 'shared-process')).toBe(at('shared.js'))
  })

  const changes: Readonly<Record<string, () => Promise<void>>> = {
    'a source has another size': () => writeFile(at('b.ts'), 'longer than before'),
    'a source of the same size was written later': () => utimes(at('b.ts'), 1, 1),
    'a source was removed': () => rm(at('a.ts')),
    'a source was renamed': () => rename(at('a.ts'), at('c.ts')),
    'its file was removed': () => rm(at('member.js')),
    'the manifest was cut off': () => writeFile(at(manifestFile), '{"files":'),
    'the manifest is something else': () => writeFile(at(manifestFile), 'null'),
    'there is no manifest': () => rm(at(manifestFile)),
  }
  test.each(Object.entries(changes))('not when %s', async (_, change) => {
    await change()
    expect(bundle()).toBeUndefined()
  })

  test('not by another checkout with the same packages', () => {
    expect(bundleFolder('/one')).not.toBe(bundleFolder('/other'))
  })
})
