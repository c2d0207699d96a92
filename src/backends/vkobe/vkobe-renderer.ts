/** What a vkobe pool would run: its part of the spec hash. */
import type { BackendRenderer } from '../backend.ts'
import { FINGERPRINT_NAME, FINGERPRINT_TARGET } from '../render/manifest.ts'
import { vkobeWorkload } from './render/manifests.ts'

/** The image of the syncer is a source of the spec hash by itself, so a change of it is told as what it is. */
export const vkobeRenderer: BackendRenderer = {
  type: 'vkobe',
  fingerprint: (backend, cluster) =>
    vkobeWorkload({
      ...FINGERPRINT_TARGET,
      backend,
      cluster,
      syncImage: FINGERPRINT_NAME,
      store: { endpoints: [`https://${FINGERPRINT_NAME}:2379`], tls: true },
    }),
  defaultGates: () => [{ type: 'SchedulingProbe' }],
}
