#!/usr/bin/env node
// Launcher in plain JavaScript: it must run on any Node to say what is missing. Kobe itself needs Node 24.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import module from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
// A clone runs its sources as they are; the published package has compiled ones only.
const source = join(root, 'src', 'main.ts')
const entry = existsSync(source) ? source : join(root, 'dist', 'main.js')
const major = Number(process.versions.node.split('.')[0])

if (major >= 24) {
  module.enableCompileCache?.(join(root, 'node_modules', '.cache', 'kobe'))
  await import(entry)
} else {
  const own = join(root, 'node_modules', 'node', 'bin', 'node')
  if (existsSync(own)) {
    runUnder(own)
  } else {
    process.stderr.write(
      `kobe needs Node.js 24 or newer; this is ${process.version}.\n` +
        'In a clone, run `npm ci` once: it brings the right Node along. Elsewhere, install Node.js 24.\n',
    )
    process.exit(1)
  }
}

function runUnder(node) {
  // Under the same name: as a plugin of kubectl it shows another usage.
  const child = spawn(node, process.argv.slice(1), { stdio: 'inherit' })
  // A terminal's Ctrl-C reaches the child by itself; these are the signals that only the launcher gets.
  const forward = (signal) => child.kill(signal)
  process.on('SIGTERM', forward)
  process.on('SIGHUP', forward)
  process.on('SIGINT', () => {
    if (!process.stdin.isTTY) child.kill('SIGINT')
  })
  child.on('exit', (code, signal) => {
    process.exit(signal ? 128 + (signal === 'SIGINT' ? 2 : 15) : (code ?? 1))
  })
}
