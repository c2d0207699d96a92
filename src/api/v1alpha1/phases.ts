/** The phases of each kind: for display and for public clients. Decisions are made from what is observed, not from these. */

export const PoolPhase = {
  Healthy: 'Healthy',
  ScalingUp: 'ScalingUp',
  ScalingDown: 'ScalingDown',
  Backoff: 'Backoff',
  Failing: 'Failing',
  Idle: 'Idle',
  Quarantined: 'Quarantined',
} as const
export type PoolPhase = (typeof PoolPhase)[keyof typeof PoolPhase]

export const InstancePhase = {
  Creating: 'Creating',
  Ready: 'Ready',
  Leased: 'Leased',
  Recycling: 'Recycling',
  Unhealthy: 'Unhealthy',
  Failed: 'Failed',
  Quarantined: 'Quarantined',
} as const
export type InstancePhase = (typeof InstancePhase)[keyof typeof InstancePhase]

export const LeasePhase = {
  Pending: 'Pending',
  Bound: 'Bound',
  Released: 'Released',
  Expired: 'Expired',
  Recycling: 'Recycling',
  Quarantined: 'Quarantined',
} as const
export type LeasePhase = (typeof LeasePhase)[keyof typeof LeasePhase]

export const POOL_PHASES = ['Healthy', 'ScalingUp', 'ScalingDown', 'Backoff', 'Failing', 'Idle', 'Quarantined'] as const
export const INSTANCE_PHASES = [
  'Creating',
  'Ready',
  'Leased',
  'Recycling',
  'Unhealthy',
  'Failed',
  'Quarantined',
] as const
export const LEASE_PHASES = ['Pending', 'Bound', 'Released', 'Expired', 'Recycling', 'Quarantined'] as const
