// Runs before `npm start` and `npm test` on whatever Node the machine has, so it is plain JavaScript without packages.
// Installs the locked dependencies when they are missing or older than package-lock.json, and keeps what is made of the sources
// current.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const marker = join(root, 'node_modules', '.kobe-setup')
const ownNode = join(root, 'node_modules', 'node', 'bin', 'node')
const wanted = createHash('sha256')
  .update(readFileSync(join(root, 'package-lock.json')))
  .digest('hex')

function installed() {
  return existsSync(marker) && readFileSync(marker, 'utf8') === wanted
}

function install() {
  process.stderr.write('Installing dependencies (first run, or the lock file changed)...\n')
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm'
  const result = spawnSync(npm, ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: root,
    stdio: ['ignore', 2, 2],
  })
  if (result.status !== 0) {
    process.stderr.write(
      '\nkobe: `npm ci` failed, so nothing was started.\n' +
        'Check that the npm registry can be reached and that this folder is writable, then run the same command again.\n',
    )
    process.exit(1)
  }
  linkOwnCommands()
  bundle()
  warmUp()
  writeFileSync(marker, wanted)
}

// `npx kobe` looks in node_modules/.bin first: with the links it neither installs nor asks anything.
function linkOwnCommands() {
  if (process.platform === 'win32') return
  const bin = join(root, 'node_modules', '.bin')
  mkdirSync(bin, { recursive: true })
  const commands = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).bin
  for (const [name, file] of Object.entries(commands)) {
    const link = join(bin, name)
    try {
      lstatSync(link)
      unlinkSync(link)
    } catch (error) {
      if (error.code !== 'ENOENT') throw error
    }
    symlinkSync(join('..', '..', file), link)
  }
}

// A changed source makes a new one; until then members run from the sources.
function bundle() {
  spawnSync(ownNode, [join(root, 'scripts', 'bundle', 'index.ts')], { cwd: root, stdio: ['ignore', 'ignore', 2] })
}

// Only speed is at stake: a failure here shows itself, with a better message, in whatever is started next.
function warmUp() {
  spawnSync(ownNode, [join(root, 'bin', 'kobe.js'), '--version'], { stdio: 'ignore' })
  spawnSync(ownNode, [join(root, 'scripts', 'warm-cache.ts')], { cwd: root, stdio: ['ignore', 'ignore', 2] })
}

// Two set-ups at once would remove each other's files. Whoever waited finds the work done.
function alone(work) {
  const lock = join(root, '.cache', 'setup.lock')
  mkdirSync(dirname(lock), { recursive: true })
  while (!take(lock)) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200)
  try {
    work()
  } finally {
    rmSync(lock, { force: true })
  }
}

// The lock names its process: one that was killed holds nothing.
function take(lock) {
  try {
    writeFileSync(lock, String(process.pid), { flag: 'wx' })
    return true
  } catch (error) {
    if (error.code !== 'EEXIST') throw error
    if (!isHeld(lock)) rmSync(lock, { force: true })
    return false
  }
}

function isHeld(lock) {
  try {
    const pid = Number(readFileSync(lock, 'utf8'))
    // Empty: it was made this very moment, or by a process that was killed in that moment.
    return pid === 0 ? Date.now() - statSync(lock).mtimeMs < 5000 : process.kill(pid, 0)
  } catch (error) {
    // EPERM: it lives, and is somebody else's.
    return error.code === 'EPERM'
  }
}

if (installed()) bundle()
else alone(() => (installed() ? bundle() : install()))
