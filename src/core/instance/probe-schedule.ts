/** When a member is probed: once per interval, at an offset of its own, so that probes of many members never come in a burst. */
import type { ProbeEvidence } from './observed.ts'

export interface ProbePolicy {
  readonly intervalMs: number
  /** Failures in a row at which the member is recycled. */
  readonly failureThreshold: number
}

/** Used when a pool says nothing: members are probed all the same. [ours] */
export const DEFAULT_PROBE_POLICY: ProbePolicy = { intervalMs: 30_000, failureThreshold: 3 }

/** The first slot of the member after `after`. Slots lie one interval apart, at an offset drawn from the UID. */
export function nextProbeAt(uid: string, intervalMs: number, after: number): number {
  const offset = fnv1a(uid) % intervalMs
  return Math.floor((after - offset) / intervalMs) * intervalMs + offset + intervalMs
}

/** Adds the answer of a probe to the evidence. `before` falls back to the failures in the status after a restart. */
export function foldProbe(
  before: number,
  result: { readonly healthy: boolean; readonly message?: string },
  at: number,
): ProbeEvidence {
  return {
    healthy: result.healthy,
    failuresInARow: result.healthy ? 0 : before + 1,
    at,
    ...(result.message === undefined ? {} : { message: result.message }),
  }
}

/** FNV-1a, 32 bit: spreads well, needs no crypto, and is the same everywhere. */
function fnv1a(text: string): number {
  let hash = 0x811c9dc5
  for (let position = 0; position < text.length; position += 1) {
    hash ^= text.charCodeAt(position)
    hash = Math.imul(hash, 0x01000193)
  }
  return hash >>> 0
}
