import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { bundleFiles, writeBundle } from './unpack-diagnostics.ts'

let dir: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'kobe-unpack-'))
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

const paths = (bundle: object) => bundleFiles({ ...bundle }).map(({ path }) => path)
const log = (namespace: unknown, pod: unknown, container: unknown, text: unknown = 'line\n') => ({
  namespace,
  pod,
  container,
  text,
})

describe('the files of a bundle', () => {
  test('are the bundle, a file per kind of resource and a file per log', () => {
    expect(paths({ resources: { events: [{}], pods: [] }, logs: [log('default', 'web-0', 'nginx')] })).toEqual([
      'bundle.json',
      'resources/events.json',
      'resources/pods.json',
      'logs/default_web-0_nginx.log',
    ])
  })

  test.each([
    ['climb out', log('..', '../../etc', 'passwd'), 'logs/______etc_passwd.log'],
    ['are absolute', log('/etc', 'cron.d', 'x'), 'logs/_etc_cron.d_x.log'],
    ['hide', log('.ssh', '', undefined), 'logs/_ssh____.log'],
    ['hold control characters', log('a\0b', 'c\nd', 'e\\f'), 'logs/a_b_c_d_e_f.log'],
    ['never end', log('a'.repeat(5000), 'b', 'c'), `logs/${'a'.repeat(80)}_b_c.log`],
  ])('have plain names also where those of the cluster %s', (_, evil, expected) => {
    const [, file] = paths({ logs: [evil] })
    expect(file).toBe(expected)
  })

  test('have names of their own', () => {
    const logs = [log('a', 'b', 'c'), log('a', 'B', 'c'), log('a', 'b', 'c')]
    expect(paths({ logs })).toEqual(['bundle.json', 'logs/a_b_c.log', 'logs/a_B_c-2.log', 'logs/a_b_c-3.log'])
  })

  test('of another shape stay in the bundle alone', () => {
    expect(paths({ resources: ['x'], logs: [null, 'text', log('a', 'b', 'c', 7)] })).toEqual(['bundle.json'])
  })
})

describe('writing them', () => {
  const files = bundleFiles({ resources: { events: [] }, logs: [log('a', 'b', 'c')] })

  test('is for this user alone', () => {
    const written = writeBundle(join(dir, 'out'), files, false)
    expect(written.map((path) => statSync(path).mode & 0o777)).toEqual([0o600, 0o600, 0o600])
    expect(statSync(join(dir, 'out', 'logs')).mode & 0o777).toBe(0o700)
    expect(readFileSync(join(dir, 'out', 'logs', 'a_b_c.log'), 'utf8')).toBe('line\n')
  })

  test('writes nothing at all over what is there, and replaces it with --force', () => {
    writeBundle(dir, files.slice(1, 2), false)
    expect(() => writeBundle(dir, files, false)).toThrow(/events\.json exists already/)
    expect(existsSync(join(dir, 'bundle.json'))).toBe(false)
    writeBundle(dir, files, true)
    expect(existsSync(join(dir, 'bundle.json'))).toBe(true)
  })

  test.each([false, true])('follows no link that was put there (force %s)', (force) => {
    const outside = join(dir, 'outside')
    mkdirSync(outside)
    mkdirSync(join(dir, 'out'))
    symlinkSync(outside, join(dir, 'out', 'logs'))
    expect(() => writeBundle(join(dir, 'out'), files, force)).toThrow(/logs is a link/)
    rmSync(join(dir, 'out', 'logs'))
    symlinkSync(join(outside, 'file'), join(dir, 'out', 'bundle.json'))
    if (force) writeBundle(join(dir, 'out'), files, true)
    else expect(() => writeBundle(join(dir, 'out'), files, false)).toThrow(/exists already/)
    expect(readdirSync(outside)).toEqual([])
  })
})
