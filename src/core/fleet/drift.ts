/** Whether a member of a fleet was made from another template than the present one. */

export interface Stamp {
  readonly hash?: string
  /** Algorithm that made the hash; the present one when absent. */
  readonly version?: number
}

/**
 * `current`: same template. `drifted`: another template. `incomparable`: stamped by another algorithm, so nobody can tell; such
 * a member is stamped anew, never replaced for it. `unstamped`: nothing is known.
 */
export type Drift = 'current' | 'drifted' | 'incomparable' | 'unstamped'

export function driftOf(stamp: Stamp, present: { readonly hash: string; readonly version: number }): Drift {
  if (stamp.hash === undefined) return 'unstamped'
  if ((stamp.version ?? present.version) !== present.version) return 'incomparable'
  return stamp.hash === present.hash ? 'current' : 'drifted'
}
