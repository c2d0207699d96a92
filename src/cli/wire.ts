/** The parts of API answers that the CLI shows; see docs/reference/http-api.md. Unknown fields are kept for `-o json`. */

export interface PoolView {
  readonly name: string
  readonly phase?: string
  readonly ready: number
  readonly leased?: number
  readonly creating?: number
  readonly recycling?: number
  readonly unhealthy?: number
  readonly quarantined?: number
  readonly queueDepth?: number
  readonly stalled?: { readonly reason: string; readonly message: string }
}

export interface PoolExplanation {
  readonly name: string
  readonly specHash?: string
  readonly sources?: Readonly<Record<string, string | number>>
  readonly stalled?: { readonly reason: string; readonly message: string }
  readonly members: readonly MemberExplanation[]
}

export interface MemberExplanation {
  readonly name: string
  readonly phase: string
  readonly specHash?: string
  readonly state: string
  readonly changedSources: readonly string[]
  readonly changes: ReadonlyArray<{
    readonly source: string
    readonly path: string
    readonly before?: unknown
    readonly after?: unknown
  }>
}

export interface LeaseView {
  readonly id: string
  readonly phase: string
  readonly profile?: string
  readonly cluster_name?: string
  readonly expires_at?: string
  readonly queue_position?: number
  readonly alias?: string
  readonly message?: string
  readonly reason?: string
  readonly estimate_seconds?: number
  readonly kubeconfig?: string
}

export interface StatusView {
  readonly version?: string
  readonly auth?: { readonly sessions?: readonly { readonly identity?: string; readonly method?: string }[] }
  readonly pools?: readonly PoolView[]
}

/** The API answers lists as bare arrays; anything else is a server that speaks another language. */
export function asList<T>(body: unknown): readonly T[] {
  return Array.isArray(body) ? body : []
}
