/**
 * Builds the real kube-apiserver, kube-controller-manager and etcd from their Go modules into the user's cache folder, which all
 * checkouts share; for tests only. `npm run assets`; needs Go, takes about 15 minutes on two cores once, no time afterwards.
 * KUBEBUILDER_ASSETS, when set, is used as it is and nothing is built.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { sharedCache } from './cache.ts'

const KUBERNETES_VERSION = '1.36.3'
const [MAJOR, MINOR] = KUBERNETES_VERSION.split('.')

interface Program {
  readonly name: string
  readonly module: 'kubernetes' | 'etcd'
  readonly package: string
  /** What `--version` must print. */
  readonly version: RegExp
}

export const PROGRAMS: readonly Program[] = [
  {
    name: 'kube-apiserver',
    module: 'kubernetes',
    package: 'k8s.io/kubernetes/cmd/kube-apiserver',
    version: /Kubernetes v1\.36\.3/,
  },
  {
    name: 'kube-controller-manager',
    module: 'kubernetes',
    package: 'k8s.io/kubernetes/cmd/kube-controller-manager',
    version: /Kubernetes v1\.36\.3/,
  },
  { name: 'etcd', module: 'etcd', package: 'go.etcd.io/etcd/server/v3', version: /etcd Version: 3\.6\.16/ },
]

/** Folders that are looked into, in this order; the last one is where they are built. */
function candidates(root: string, given: string | undefined): readonly string[] {
  const shared = sharedCache(KUBERNETES_VERSION)
  return [...(given ? [given] : []), join(root, '.cache', 'assets', 'bin'), shared]
}

const hasAll = (dir: string): boolean => PROGRAMS.every(({ name }) => existsSync(join(dir, name)))

/** Where the programs are, or undefined when they were neither given nor built. */
export function assetsDir(
  root: string,
  given: string | undefined = process.env['KUBEBUILDER_ASSETS'],
): string | undefined {
  return candidates(root, given).find((dir) => existsSync(join(dir, 'kube-apiserver')) && existsSync(join(dir, 'etcd')))
}

export function buildRealPair(root: string): number {
  const given = process.env['KUBEBUILDER_ASSETS']
  if (given) {
    console.log(`KUBEBUILDER_ASSETS is set: tests use the programs in ${given}`)
    return 0
  }
  const dirs = candidates(root, undefined)
  const ready = dirs.find(hasAll)
  if (ready !== undefined) {
    for (const program of PROGRAMS) verify(program, join(ready, program.name))
    console.log(`The real programs are in ${ready}`)
    return 0
  }
  if (spawnSync('go', ['version']).status !== 0) {
    console.error(
      'The real programs are built with Go, which is not on the PATH. Install Go 1.26, or set KUBEBUILDER_ASSETS.',
    )
    return 1
  }
  const bin = dirs.at(-1) ?? root
  mkdirSync(bin, { recursive: true })
  for (const program of PROGRAMS) build(program, root, bin)
  console.log(`\nThe real programs are in ${bin}`)
  return 0
}

function build(program: Program, root: string, bin: string): void {
  console.log(`building ${program.name} ...`)
  // Built under another name: one that was interrupted is never taken for the program.
  const target = join(bin, program.name)
  const stamp = 'k8s.io/component-base/version'
  // Without the stamps it reports v0.0.0-master, and kubectl and helm complain.
  const flags = `-s -w -X ${stamp}.gitVersion=v${KUBERNETES_VERSION} -X ${stamp}.gitMajor=${MAJOR} -X ${stamp}.gitMinor=${MINOR}`
  const args = ['build', '-mod=mod', '-trimpath', '-ldflags', flags, '-o', `${target}.new`, program.package]
  execFileSync('go', args, {
    cwd: join(root, 'test', 'assets', program.module),
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  verify(program, `${target}.new`)
  renameSync(`${target}.new`, target)
}

function verify(program: Program, file: string): void {
  const printed = execFileSync(file, ['--version'], { encoding: 'utf8' })
  if (!program.version.test(printed)) throw new Error(`${program.name} --version printed ${printed.trim()}`)
  console.log(printed.trim().split('\n')[0])
}
