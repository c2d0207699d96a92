import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { readEnvironment } from '../config.ts'
import { resolveTarget, type TargetFlags } from './target.ts'

let dir: string
let project: string

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'kobe-target-'))
  project = join(dir, 'work', 'project')
  mkdirSync(project, { recursive: true })
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

function file(path: string, content: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content)
}

const userConfig = (config: object) => file(join(dir, '.config', 'kobe', 'config.json'), JSON.stringify(config))
const local = (folder: string, endpoint: string) =>
  file(join(folder, '.kobe', 'client.json'), JSON.stringify({ endpoint, token: 'local' }))
const resolve = (flags: TargetFlags = {}, env: Record<string, string> = {}) =>
  resolveTarget(flags, readEnvironment({ HOME: dir, ...env }), project)

const TARGETS = {
  targets: {
    a: { endpoint: 'http://a', auth: 'token', token: 'token-a' },
    b: { endpoint: 'http://b', auth: 'none' },
    o: { endpoint: 'http://o', auth: 'oidc' },
  },
}

describe('the endpoint', () => {
  test.each<[string, TargetFlags, Record<string, string>, string]>([
    ['--endpoint before all', { endpoint: 'http://flag' }, { KOBE_ENDPOINT: 'http://env' }, 'http://flag'],
    ['--target before the environment', { target: 'b' }, { KOBE_ENDPOINT: 'http://env' }, 'http://b'],
    ['KOBE_ENDPOINT before KOBE_TARGET', {}, { KOBE_ENDPOINT: 'http://env', KOBE_TARGET: 'b' }, 'http://env'],
    ['KOBE_TARGET before files', {}, { KOBE_TARGET: 'b' }, 'http://b'],
    ['a running `kobe up` here before the target in use', {}, {}, 'http://up'],
  ])('%s', async (_title, flags, env, endpoint) => {
    userConfig({ current_target: 'a', ...TARGETS })
    local(project, 'http://up')
    expect((await resolve(flags, env)).endpoint).toBe(endpoint)
  })

  test('the target in use, where nothing is nearer', async () => {
    userConfig({ current_target: 'a', ...TARGETS })
    expect(await resolve()).toMatchObject({ endpoint: 'http://a', token: 'token-a', name: 'a' })
  })

  test('of a .kobe.toml and a `kobe up` the one that is nearer', async () => {
    file(join(dir, 'work', '.kobe.toml'), 'current_target = "p"\n[targets.p]\nendpoint = "http://p"\n')
    local(dir, 'http://far')
    expect((await resolve()).endpoint).toBe('http://p')
    local(project, 'http://near')
    expect((await resolve()).endpoint).toBe('http://near')
  })

  test('a target of the project hides the one of the user as a whole, its token included', async () => {
    userConfig(TARGETS)
    file(join(project, '.kobe.toml'), '[targets.a]\nendpoint = "http://elsewhere"\n')
    const target = await resolve({ target: 'a' })
    expect(target.endpoint).toBe('http://elsewhere')
    expect(target).not.toHaveProperty('token')
  })

  test.each([
    [{ endpoint: 'http://old', token: 'x' }, 'http://old'],
    [{ current_context: 'c', contexts: { c: { endpoint: 'http://c' } } }, 'http://c'],
  ])('an older shape of the file is understood: %j', async (config, endpoint) => {
    userConfig(config)
    expect((await resolve()).endpoint).toBe(endpoint)
  })
})

describe('the token', () => {
  test.each<[string, TargetFlags, Record<string, string>, string | undefined]>([
    ['of a target chosen by --target before KOBE_TOKEN', { target: 'a' }, { KOBE_TOKEN: 'env' }, 'token-a'],
    ['KOBE_TOKEN before that of the target in use', {}, { KOBE_TOKEN: 'env' }, 'env'],
    ['of a target is sent nowhere else', { endpoint: 'http://x' }, {}, undefined],
    ['of --token-file before all', { target: 'a', tokenFile: 'FILE' }, { KOBE_TOKEN: 'env' }, 'from-file'],
  ])('%s', async (_title, flags, env, token) => {
    userConfig({ current_target: 'a', ...TARGETS })
    file(join(dir, 'token'), 'from-file\n')
    const given = flags.tokenFile === undefined ? flags : { ...flags, tokenFile: join(dir, 'token') }
    expect((await resolve(given, env)).token).toBe(token)
  })

  test('that no header can carry is refused without being shown', async () => {
    const failure = resolve({ endpoint: 'http://x' }, { KOBE_TOKEN: 'secret\ntoken' })
    await expect(failure).rejects.toThrow('cannot be sent')
    await expect(failure).rejects.not.toThrow('secret')
  })
})

describe('what cannot be used is an error with a way out', () => {
  test.each<[string, TargetFlags, string]>([
    ['an unknown target', { target: 'x' }, 'there is no target x'],
    ['a target that signs in another way', { target: 'o' }, 'signs in with oidc'],
    ['no URL', { endpoint: 'ftp://x' }, 'not an http or https URL'],
    ['nothing at all', {}, 'no endpoint is known'],
  ])('%s', async (_title, flags, message) => {
    userConfig(TARGETS)
    await expect(resolve(flags)).rejects.toMatchObject({
      code: 'config',
      message: expect.stringContaining(message),
      fix: expect.any(String),
    })
  })

  test('a file that cannot be parsed is named', async () => {
    file(join(project, '.kobe.toml'), 'current_target = ')
    await expect(resolve()).rejects.toThrow(join(project, '.kobe.toml'))
  })
})
