/** What a k3s pool would run: its part of the spec hash. */
import type { BackendRenderer } from '../backend.ts'
import { FINGERPRINT_TARGET } from '../render/manifest.ts'
import { k3sWorkload } from './render/manifests.ts'

export const k3sRenderer: BackendRenderer = {
  type: 'k3s',
  fingerprint: (backend, cluster) => k3sWorkload({ ...FINGERPRINT_TARGET, backend, cluster }),
  // Servers are nodes too.
  defaultGates: ({ servers, agents }) => [
    { type: 'NodesReady', count: Math.max(servers, 1) + (agents ?? 0) },
    { type: 'DNSHealthy' },
    { type: 'InClusterToken' },
  ],
}
