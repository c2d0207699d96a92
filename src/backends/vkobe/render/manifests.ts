/** Everything the vkobe backend applies for one member, in the order in which it is applied. */
import { type Manifest, secretOf } from '../../render/manifest.ts'
import { accessManifests } from './access.ts'
import { vkobeConfigMap, vkobeDeployment, vkobeService } from './deployment.ts'
import type { VkobeInput, VkobeSecrets } from './input.ts'

export function vkobeManifests(input: VkobeInput, { certificates, storeTls }: VkobeSecrets): Manifest[] {
  const store = input.store.tls && storeTls !== undefined ? [secretOf(input, 'store', storeTls)] : []
  return [secretOf(input, 'certs', certificates), ...store, ...vkobeWorkload(input)]
}

/** All but the Secrets: what a template comes to, without a value that differs from member to member. */
export const vkobeWorkload = (input: VkobeInput): Manifest[] => [
  ...accessManifests(input),
  vkobeConfigMap(input),
  vkobeService(input),
  vkobeDeployment(input),
]
