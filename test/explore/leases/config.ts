/** A small world of one pool's leases: who asks for what, what may happen, and how often. */
export type Person = 'ann' | 'bob'

/** What one person asks for, once. */
export interface Ask {
  readonly by: Person
  /** Idempotency key: asks with the same one are the same request, sent again. */
  readonly key?: string
  /** Written with kubectl, past the HTTP API. */
  readonly direct?: boolean
  /** Given back without a heartbeat within two ticks. */
  readonly idles?: boolean
  readonly priority?: number
}

export interface Budget {
  readonly pauses: number
  readonly crashes: number
  readonly lostAnswers: number
  readonly lags: number
  readonly releases: number
  readonly extensions: number
  readonly heartbeats: number
  readonly deletes: number
  /** Ticks while something is still under way. */
  readonly slow: number
}

export type LagKind = 'clusterleases' | 'clusterinstances' | 'secrets'

export interface WorldConfig {
  readonly name: string
  /** Members the pool keeps. */
  readonly members: number
  /** Operators that act at the same time: two when a former leader has not noticed. Default 1. */
  readonly operators?: 1 | 2
  /** Sent in this order, at any time. */
  readonly asks: readonly Ask[]
  /** `maxConcurrentLeases` of each person's policy. Default 9. */
  readonly caps?: Partial<Record<Person, number>>
  /** `maxExtensions` of the policies. Default 1. */
  readonly maxExtensions?: number
  readonly budget: Partial<Budget>
  /** Leases end by themselves after two ticks. Default: they last. */
  readonly expires?: boolean
  /** Whoever still waits after two ticks is let go. */
  readonly queueTimeout?: boolean
  /** Kinds whose watch may lag. Default: leases and instances. */
  readonly lagging?: readonly LagKind[]
  /** What may stand still, die or lose answers between its writes. Default: both. */
  readonly faulty?: readonly ('operator' | 'replica')[]
  /** What may be deleted by hand. Default: both. */
  readonly deletes?: readonly ('lease' | 'member')[]
}
