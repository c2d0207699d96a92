/** `npm run assets [-- kobectl]`: builds programs for tests: the real Kubernetes pair, or the published client. */
import { join } from 'node:path'
import { buildKobectl } from './kobectl.ts'
import { buildRealPair } from './real-pair.ts'

process.exitCode = main(process.argv.slice(2))

function main([what = 'kubernetes', ...rest]: readonly string[]): number {
  if (rest.length === 0 && what === 'kubernetes') return buildRealPair(join(import.meta.dirname, '..', '..'))
  if (rest.length === 0 && what === 'kobectl') return buildKobectl()
  console.error(`npm run assets -- ${[what, ...rest].join(' ')}: say kobectl, or nothing for kube-apiserver and etcd`)
  return 2
}
