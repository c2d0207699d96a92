import { execFile } from 'node:child_process'
import { chmod, copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, test } from 'vitest'

const run = promisify(execFile)
let root: string

/** A checkout with nothing installed, and an `npm` that says when it begins and ends. */
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'kobe-setup-'))
  for (const folder of ['scripts', 'tools', 'bin']) await mkdir(join(root, folder))
  await copyFile(join(import.meta.dirname, 'setup.js'), join(root, 'scripts', 'setup.js'))
  await writeFile(join(root, 'package.json'), '{"type":"module","bin":{}}')
  await writeFile(join(root, 'package-lock.json'), '{}')
  const npm = ['#!/bin/sh', 'echo begin >> log', 'mkdir -p node_modules', 'echo end >> log', '']
  await writeFile(join(root, 'tools', 'npm'), npm.join('\n'))
  await chmod(join(root, 'tools', 'npm'), 0o755)
})
afterEach(() => rm(root, { recursive: true, force: true }))

const setUp = () =>
  run(process.execPath, [join(root, 'scripts', 'setup.js')], {
    env: { PATH: [join(root, 'tools'), '/usr/bin', '/bin'].join(delimiter) },
  })
const log = () => readFile(join(root, 'log'), 'utf8')

test('several set-ups at once install once, one after another', async () => {
  await Promise.all([setUp(), setUp(), setUp()])
  expect(await log()).toBe('begin\nend\n')
})

test('a set-up that was killed holds up nobody', async () => {
  await mkdir(join(root, '.cache'))
  await writeFile(join(root, '.cache', 'setup.lock'), '99999999')
  await setUp()
  expect(await log()).toBe('begin\nend\n')
})

test('another lock file installs again', async () => {
  await setUp()
  await writeFile(join(root, 'package-lock.json'), '{"changed":true}')
  await setUp()
  expect(await log()).toBe('begin\nend\nbegin\nend\n')
})
