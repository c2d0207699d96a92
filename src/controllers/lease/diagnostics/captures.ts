/** The diagnostics that are being made. Each is made beside the passes over its lease, which see how far it is. */
import type { ClusterInstance } from '../../../api/v1alpha1/cluster-instance.ts'
import type { ClusterLease } from '../../../api/v1alpha1/cluster-lease.ts'
import type { DiagnosticsSeen } from '../../../core/lease/diagnostics.ts'
import { ownerKey } from '../../../core/lease/owner.ts'
import { createKubeClient } from '../../../kube/kube-client.ts'
import { objectKey } from '../../../kube/object-key.ts'
import type { ControllerDeps } from '../../deps.ts'
import { memberOf } from '../../instance/member-target.ts'
import { type Collected, collect } from './collect.ts'
import { redact } from './redact.ts'

/** Longest time to make one bundle: well below what the end of a lease waits for it. Milliseconds. */
const CAPTURE_MS = 25_000
const REQUEST_TIMEOUT_MS = 5_000
/** Of one bundle, bytes. */
const MAX_BYTES = 8 * 1024 * 1024
const DEFAULT_RETENTION_DAYS = 7
const DEFAULT_LOG_LINES = 1000
const DAY_MS = 86_400_000

/** Where bundles are kept. */
export interface DiagnosticsStore {
  write(bundle: {
    readonly lease: string
    /** `ownerKey` of its requester: nobody else may read it. */
    readonly owner: string
    readonly capturedAt: number
    readonly keptUntil: number
    readonly complete: boolean
    readonly json: string
  }): Promise<void>
}

export interface Captures {
  start(lease: ClusterLease, instance: ClusterInstance): void
  seen(lease: ClusterLease): DiagnosticsSeen
  forget(uid: string): void
  /** Called with the key of a lease whose diagnostics are no longer `running`. Answers the unsubscribe function. */
  onDone(listener: (key: string) => void): () => void
}

export function createCaptures(deps: ControllerDeps): Captures {
  const known = new Map<string, DiagnosticsSeen>()
  const listeners = new Set<(key: string) => void>()
  const finish = (lease: ClusterLease, seen: DiagnosticsSeen): void => {
    known.set(lease.metadata.uid ?? '', seen)
    for (const listener of listeners) listener(objectKey(lease))
  }
  return {
    start(lease, instance) {
      const uid = lease.metadata.uid ?? ''
      if (known.has(uid)) return
      known.set(uid, { state: 'running' })
      capture(deps, lease, instance).then(
        (complete) => finish(lease, { state: 'stored', complete }),
        (error: unknown) => {
          deps.log.warn({ lease: lease.metadata.name, err: error }, 'diagnostics could not be made')
          finish(lease, { state: 'failed', message: 'the diagnostics could not be made or stored; the log says why' })
        },
      )
    },
    seen: ({ metadata }) => known.get(metadata.uid ?? '') ?? unavailable(deps),
    forget: (uid) => {
      known.delete(uid)
    },
    onDone(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

const unavailable = ({ diagnostics }: ControllerDeps): DiagnosticsSeen =>
  diagnostics === undefined
    ? { state: 'failed', message: 'this operator has no directory for diagnostics' }
    : { state: 'none' }

/** Answers whether it is complete. */
async function capture(deps: ControllerDeps, lease: ClusterLease, instance: ClusterInstance): Promise<boolean> {
  const { clock, caches, diagnostics } = deps
  const capturedAt = clock.now()
  const pool = caches.pools.get(lease.metadata.namespace, lease.spec.poolRef)
  const { logLines = DEFAULT_LOG_LINES, retentionDays = DEFAULT_RETENTION_DAYS } = pool?.spec.diagnostics ?? {}
  const hasTime = () => clock.now() - capturedAt < CAPTURE_MS
  const collected = await fromGuest(deps, instance, { logLines, maxBytes: MAX_BYTES, hasTime })
  const { omitted, ...found } = collected
  const complete = omitted.length === 0
  const head = {
    lease_id: lease.metadata.name,
    cluster_name: instance.metadata.name,
    pool: lease.spec.poolRef,
    captured_at: new Date(capturedAt).toISOString(),
    complete,
    omitted,
    lease: redact(lease),
    member: redact(instance),
  }
  await diagnostics?.write({
    lease: lease.metadata.name ?? '',
    owner: ownerKey(lease.spec.requester),
    capturedAt,
    keptUntil: capturedAt + retentionDays * DAY_MS,
    complete,
    json: JSON.stringify({ ...head, ...found }),
  })
  return complete
}

async function fromGuest(
  deps: ControllerDeps,
  instance: ClusterInstance,
  options: Parameters<typeof collect>[1],
): Promise<Collected> {
  const member = memberOf(deps, instance)
  if (member?.backend === undefined) {
    return { resources: {}, logs: [], omitted: ['the cluster: its backend is not known here'] }
  }
  const kubeconfig = await member.backend.kubeconfig(member.target)
  const guest = createKubeClient({ kubeconfig, requestTimeoutMs: REQUEST_TIMEOUT_MS })
  try {
    return await collect(guest, options)
  } finally {
    guest.close()
  }
}
