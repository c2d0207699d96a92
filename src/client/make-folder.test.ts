import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { makeFolder } from './make-folder.ts'

let dir: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'kobe-folder-'))
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

const modeOf = (path: string) => statSync(path).mode & 0o777

describe('makeFolder', () => {
  test('makes every missing level for this user alone, and again without complaint', () => {
    makeFolder(join(dir, 'a', 'b', 'c'))
    makeFolder(join(dir, 'a', 'b', 'c'))
    expect([modeOf(join(dir, 'a')), modeOf(join(dir, 'a', 'b', 'c'))]).toEqual([0o700, 0o700])
  })

  test('leaves a folder that is there as it is, also one behind a link', () => {
    mkdirSync(join(dir, 'there'))
    chmodSync(join(dir, 'there'), 0o755)
    symlinkSync(join(dir, 'there'), join(dir, 'link'))
    makeFolder(join(dir, 'link', 'new'))
    expect([modeOf(join(dir, 'there')), existsSync(join(dir, 'there', 'new'))]).toEqual([0o755, true])
  })

  test.runIf(process.platform === 'linux')('fails at once where nobody can make a folder', () => {
    expect(() => makeFolder('/proc/no/such/folder')).toThrow(/ENOENT/)
    expect(() => makeFolder('/sys/no/such/folder')).toThrow(/EPERM|EACCES|EROFS|ENOENT/)
  })

  test('fails where a file, or a link to nothing, is in the way', () => {
    writeFileSync(join(dir, 'file'), '')
    symlinkSync(join(dir, 'nothing'), join(dir, 'dangling'))
    expect(() => makeFolder(join(dir, 'file'))).toThrow(/EEXIST/)
    expect(() => makeFolder(join(dir, 'file', 'below'))).toThrow(/EEXIST|ENOTDIR/)
    expect(() => makeFolder(join(dir, 'dangling', 'below'))).toThrow(/EEXIST/)
  })
})
