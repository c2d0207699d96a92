/** `npm run assets [-- kobectl|shells]`: gets programs for tests: the real Kubernetes pair, the published client, zsh and fish. */
import { join } from 'node:path'
import { buildKobectl } from './kobectl.ts'
import { buildRealPair } from './real-pair.ts'
import { ensureShells } from './shells.ts'

process.exitCode = main(process.argv.slice(2))

function main([what = 'kubernetes', ...rest]: readonly string[]): number {
  if (rest.length === 0 && what === 'kubernetes') return buildRealPair(join(import.meta.dirname, '..', '..'))
  if (rest.length === 0 && what === 'kobectl') return buildKobectl()
  if (rest.length === 0 && what === 'shells') return fetchShells()
  console.error(
    `npm run assets -- ${[what, ...rest].join(' ')}: say kobectl or shells, or nothing for kube-apiserver and etcd`,
  )
  return 2
}

function fetchShells(): number {
  const shells = ensureShells()
  if ('skipped' in shells) {
    console.error(`${shells.skipped}. Tests of completion are skipped without them.`)
    return 1
  }
  console.log(`zsh is ${shells.zsh}, fish is ${shells.fish}`)
  return 0
}
