/** Made by `npm run generate` out of the routes of the HTTP API; never edit it by hand. */

/**
 * What each operation takes and answers.
 */
export interface Operations {
  /**
   * Ask for a cluster.
   */
  createLease: {
    query?: {
      /**
       * What becomes of unknown fields of the body: nothing, a `Warning` header that names them, or a refusal. Default `Warn`.
       */
      fieldValidation?: 'Ignore' | 'Warn' | 'Strict'
    }
    /**
     * A request for a cluster. Unknown fields are named in a `Warning` header.
     */
    body: {
      /**
       * Name of the pool to lease from. Required, here or as `pool`.
       */
      profile?: string
      /**
       * Another spelling of `profile`.
       */
      pool?: string
      ttl?: string | null
      alias?: string | null
      metadata?: {
        [k: string]: unknown
      } | null
      idempotencyKey?: string | null
      cleanup_mode?: ('Standard' | 'VerifiedDestroy') | null
      allow_stale?: boolean | null
      diagnostics?: boolean | null
      idle_timeout?: string | null
    }
    /**
     * The lease that was created, or the earlier one of the same idempotency key.
     */
    answer: {
      /**
       * Id of the lease.
       */
      id: string
      /**
       * Where in its life the lease is.
       */
      phase: 'Pending' | 'Bound' | 'Released' | 'Expired' | 'Recycling' | 'Quarantined'
      /**
       * Name of the pool.
       */
      profile: string
      /**
       * Name of the cluster, once bound.
       */
      cluster_name?: string
      /**
       * When the lease ends unless it is extended (RFC 3339).
       */
      expires_at?: string
      /**
       * Place in the queue, 1 being next; absent when not queued.
       */
      queue_position?: number
      /**
       * Where the diagnostics of the cluster are downloaded, once the lease has ended.
       */
      diagnostics_url?: string
      /**
       * The alias, if there is one.
       */
      alias?: string
      /**
       * What the request gave.
       */
      metadata?: {
        [k: string]: unknown
      }
      /**
       * While Pending: why it waits, such as `Warming`, `AllLeased`, `QuotaReached`, `Backoff`.
       */
      reason?: string
      /**
       * What is going on, in a sentence.
       */
      message?: string
      /**
       * While Pending: how long it may still take, where that is known.
       */
      estimate_seconds?: number
      /**
       * What the estimate was made from.
       */
      estimate_basis?: {
        /**
         * From the creation of a cluster until it is Ready.
         */
        creations: {
          /**
           * Mean of the recent creations of a cluster of the pool.
           */
          seconds?: number
          /**
           * How many recent creations of a cluster of the pool were measured.
           */
          samples: number
        }
        /**
         * From binding to end. Without any, a lease is taken to live until it expires.
         */
        holds: {
          /**
           * Mean of the recent times a lease of the pool was held.
           */
          seconds?: number
          /**
           * How many recent times a lease of the pool was held were measured.
           */
          samples: number
        }
        /**
         * Clusters that are on their way to Ready.
         */
        coming: number
        /**
         * Clusters that come free when their leases end.
         */
        leased: number
      }
      /**
       * The TTL granted, when it is less than what was asked for.
       */
      effective_ttl?: string
    }
  }
  /**
   * List your leases.
   */
  listLeases: {
    query?: {
      /**
       * Only the leases with this alias.
       */
      alias?: string
    }
    /**
     * Oldest first.
     *
     * Items: One lease in a list.
     */
    answer: {
      /**
       * Id of the lease.
       */
      id: string
      /**
       * Where in its life the lease is.
       */
      phase: 'Pending' | 'Bound' | 'Released' | 'Expired' | 'Recycling' | 'Quarantined'
      /**
       * Name of the pool.
       */
      profile: string
      /**
       * Name of the cluster, once bound.
       */
      cluster_name?: string
      /**
       * When the lease ends unless it is extended (RFC 3339).
       */
      expires_at?: string
      /**
       * Place in the queue, 1 being next; absent when not queued.
       */
      queue_position?: number
      /**
       * Where the diagnostics of the cluster are downloaded, once the lease has ended.
       */
      diagnostics_url?: string
      /**
       * The alias, if there is one.
       */
      alias?: string
      /**
       * What the request gave.
       */
      metadata?: {
        [k: string]: unknown
      }
      /**
       * While Pending: why it waits, such as `Warming`, `AllLeased`, `QuotaReached`, `Backoff`.
       */
      reason?: string
      /**
       * What is going on, in a sentence.
       */
      message?: string
      /**
       * While Pending: how long it may still take, where that is known.
       */
      estimate_seconds?: number
      /**
       * What the estimate was made from.
       */
      estimate_basis?: {
        /**
         * From the creation of a cluster until it is Ready.
         */
        creations: {
          /**
           * Mean of the recent creations of a cluster of the pool.
           */
          seconds?: number
          /**
           * How many recent creations of a cluster of the pool were measured.
           */
          samples: number
        }
        /**
         * From binding to end. Without any, a lease is taken to live until it expires.
         */
        holds: {
          /**
           * Mean of the recent times a lease of the pool was held.
           */
          seconds?: number
          /**
           * How many recent times a lease of the pool was held were measured.
           */
          samples: number
        }
        /**
         * Clusters that are on their way to Ready.
         */
        coming: number
        /**
         * Clusters that come free when their leases end.
         */
        leased: number
      }
      /**
       * Identity of the requester; only for own leases.
       */
      requester?: string
    }[]
  }
  /**
   * Look at a lease.
   */
  getLease: {
    params: {
      /**
       * Id of the lease.
       */
      id: string
    }
    query?: {
      /**
       * Answer only when the lease is no longer Pending, or after this long, such as `60s` (which is the longest).
       */
      wait?: string
    }
    /**
     * One lease.
     */
    answer: {
      /**
       * Id of the lease.
       */
      id: string
      /**
       * Where in its life the lease is.
       */
      phase: 'Pending' | 'Bound' | 'Released' | 'Expired' | 'Recycling' | 'Quarantined'
      /**
       * Name of the pool.
       */
      profile: string
      /**
       * Name of the cluster, once bound.
       */
      cluster_name?: string
      /**
       * When the lease ends unless it is extended (RFC 3339).
       */
      expires_at?: string
      /**
       * Place in the queue, 1 being next; absent when not queued.
       */
      queue_position?: number
      /**
       * Where the diagnostics of the cluster are downloaded, once the lease has ended.
       */
      diagnostics_url?: string
      /**
       * The alias, if there is one.
       */
      alias?: string
      /**
       * What the request gave.
       */
      metadata?: {
        [k: string]: unknown
      }
      /**
       * While Pending: why it waits, such as `Warming`, `AllLeased`, `QuotaReached`, `Backoff`.
       */
      reason?: string
      /**
       * What is going on, in a sentence.
       */
      message?: string
      /**
       * While Pending: how long it may still take, where that is known.
       */
      estimate_seconds?: number
      /**
       * What the estimate was made from.
       */
      estimate_basis?: {
        /**
         * From the creation of a cluster until it is Ready.
         */
        creations: {
          /**
           * Mean of the recent creations of a cluster of the pool.
           */
          seconds?: number
          /**
           * How many recent creations of a cluster of the pool were measured.
           */
          samples: number
        }
        /**
         * From binding to end. Without any, a lease is taken to live until it expires.
         */
        holds: {
          /**
           * Mean of the recent times a lease of the pool was held.
           */
          seconds?: number
          /**
           * How many recent times a lease of the pool was held were measured.
           */
          samples: number
        }
        /**
         * Clusters that are on their way to Ready.
         */
        coming: number
        /**
         * Clusters that come free when their leases end.
         */
        leased: number
      }
      /**
       * While Bound: a complete kubeconfig. Holds a credential of this lease; it ends with the lease.
       */
      kubeconfig?: string
      /**
       * Absent when there are none.
       *
       * Items: One aspect of the state of the object.
       */
      conditions?: {
        /**
         * Aspect.
         */
        type: string
        /**
         * True, False or Unknown.
         */
        status: string
        /**
         * Stable code.
         */
        reason: string
        /**
         * A sentence.
         */
        message: string
        /**
         * When the status last changed.
         */
        lastTransitionTime: string
        [k: string]: unknown
      }[]
      /**
       * When it was requested (RFC 3339).
       */
      created_at?: string
      /**
       * When it was bound (RFC 3339).
       */
      bound_at?: string
      /**
       * How long the cluster is kept once bound.
       */
      ttl?: string
      /**
       * How many times it was extended.
       */
      extensions?: number
      /**
       * Proof of a verified cleanup.
       */
      teardown_receipt?: {
        [k: string]: unknown
      }
    }
  }
  /**
   * Extend a lease.
   */
  extendLease: {
    params: {
      /**
       * Id of the lease.
       */
      id: string
    }
    query?: {
      /**
       * What becomes of unknown fields of the body: nothing, a `Warning` header that names them, or a refusal. Default `Warn`.
       */
      fieldValidation?: 'Ignore' | 'Warn' | 'Strict'
    }
    /**
     * An extension.
     */
    body: {
      /**
       * By how much the expiry moves, such as `30m`.
       */
      extend_ttl: string
    }
    /**
     * The extended lease.
     */
    answer: {
      /**
       * The new expiry (RFC 3339).
       */
      expires_at: string
    }
  }
  /**
   * Give a cluster back.
   */
  releaseLease: {
    params: {
      /**
       * Id of the lease.
       */
      id: string
    }
  }
  /**
   * Give a sign of life.
   */
  heartbeatLease: {
    params: {
      /**
       * Id of the lease.
       */
      id: string
    }
    /**
     * The heartbeat was recorded.
     */
    answer: {
      /**
       * Id of the lease.
       */
      id: string
      /**
       * Where in its life the lease is.
       */
      phase: 'Pending' | 'Bound' | 'Released' | 'Expired' | 'Recycling' | 'Quarantined'
      /**
       * When the lease ends unless it is extended; a heartbeat does not move it.
       */
      expires_at?: string
      /**
       * The moment that was recorded (RFC 3339).
       */
      last_heartbeat: string
    }
  }
  /**
   * Follow a lease.
   */
  watchLease: {
    params: {
      /**
       * Id of the lease.
       */
      id: string
    }
  }
  /**
   * Whether diagnostics of a lease are kept, and where.
   */
  getLeaseDiagnostics: {
    params: {
      /**
       * Id of the lease.
       */
      id: string
    }
    /**
     * Diagnostics of a lease.
     */
    answer: {
      /**
       * Where the bundle is downloaded, with the same credential.
       */
      url: string
      /**
       * Id of the lease.
       */
      lease_id: string
      /**
       * When it was made (RFC 3339).
       */
      captured_at: string
      /**
       * When it is removed at the latest (RFC 3339).
       */
      kept_until: string
      /**
       * Size of the bundle.
       */
      bytes: number
      /**
       * False: a bound on size or time cut something off; the bundle says what.
       */
      complete: boolean
    }
  }
  /**
   * Download the diagnostics of a lease.
   */
  downloadLeaseDiagnostics: {
    params: {
      /**
       * Id of the lease.
       */
      id: string
    }
    answer: {
      [k: string]: unknown
    }
  }
  /**
   * Say what the operator would do for a lease now, and why.
   */
  planLease: {
    params: {
      /**
       * Id of the lease.
       */
      id: string
    }
    /**
     * What the operator would do for the lease now. Nothing is done by asking.
     */
    answer: {
      /**
       * Id of the lease.
       */
      id: string
      /**
       * Where in its life the lease is.
       */
      phase: 'Pending' | 'Bound' | 'Released' | 'Expired' | 'Recycling' | 'Quarantined'
      /**
       * Where in its life the lease is.
       */
      next_phase: 'Pending' | 'Bound' | 'Released' | 'Expired' | 'Recycling' | 'Quarantined'
      /**
       * What the next pass does, in order; empty: nothing.
       *
       * Items: One step.
       */
      actions: {
        /**
         * What is done.
         */
        kind:
          | 'AddFinalizer'
          | 'RemoveFinalizer'
          | 'ProbeCandidate'
          | 'RecordIntent'
          | 'ReserveInstance'
          | 'CreateConnectToken'
          | 'CaptureDiagnostics'
          | 'DeleteConnectToken'
          | 'DeleteLease'
        /**
         * Name of the cluster it is about; absent: the lease itself.
         */
        cluster?: string
        /**
         * A sentence.
         */
        message: string
      }[]
      /**
       * When the lease is looked at again without an event; absent: only an event can change anything.
       */
      next_look_seconds?: number
      /**
       * The moment it was planned for (RFC 3339).
       */
      at: string
      /**
       * What is ahead of the lease, soonest first.
       *
       * Items: What happens at a known time, if nothing else does before.
       */
      upcoming: {
        /**
         * What happens then.
         */
        kind:
          'QueueTimeout' | 'NextAttempt' | 'Expires' | 'IdleTimeout' | 'LatestEnd' | 'DiagnosticsTimeout' | 'Removed'
        /**
         * When (RFC 3339).
         */
        at: string
        /**
         * A sentence.
         */
        message: string
      }[]
      /**
       * What the planner has to say of the lease now.
       *
       * Items: One decision, or one decision not to act, and why.
       */
      notes: {
        /**
         * Stable code.
         */
        reason: string
        /**
         * A sentence with the numbers in it.
         */
        message: string
        /**
         * `Warning`: something a person should look at. `Debug`: detail.
         */
        level: 'Info' | 'Warning' | 'Debug'
        /**
         * Name of the member it is about; absent: the pool itself.
         */
        about?: string
      }[]
    }
  }
  /**
   * Say why a lease waits, is bound or has ended, and what is ahead of it.
   */
  explainLease: {
    params: {
      /**
       * Id of the lease.
       */
      id: string
    }
    /**
     * Why a lease waits, is bound or has ended, and what is ahead of it. Without its credential.
     */
    answer: {
      /**
       * Id of the lease.
       */
      id: string
      /**
       * Where in its life the lease is.
       */
      phase: 'Pending' | 'Bound' | 'Released' | 'Expired' | 'Recycling' | 'Quarantined'
      /**
       * Name of the pool.
       */
      profile: string
      /**
       * Name of the cluster, once bound.
       */
      cluster_name?: string
      /**
       * When the lease ends unless it is extended (RFC 3339).
       */
      expires_at?: string
      /**
       * Place in the queue, 1 being next; absent when not queued.
       */
      queue_position?: number
      /**
       * Where the diagnostics of the cluster are downloaded, once the lease has ended.
       */
      diagnostics_url?: string
      /**
       * The alias, if there is one.
       */
      alias?: string
      /**
       * What the request gave.
       */
      metadata?: {
        [k: string]: unknown
      }
      /**
       * While Pending: why it waits, such as `Warming`, `AllLeased`, `QuotaReached`, `Backoff`.
       */
      reason?: string
      /**
       * What is going on, in a sentence.
       */
      message?: string
      /**
       * While Pending: how long it may still take, where that is known.
       */
      estimate_seconds?: number
      /**
       * What the estimate was made from.
       */
      estimate_basis?: {
        /**
         * From the creation of a cluster until it is Ready.
         */
        creations: {
          /**
           * Mean of the recent creations of a cluster of the pool.
           */
          seconds?: number
          /**
           * How many recent creations of a cluster of the pool were measured.
           */
          samples: number
        }
        /**
         * From binding to end. Without any, a lease is taken to live until it expires.
         */
        holds: {
          /**
           * Mean of the recent times a lease of the pool was held.
           */
          seconds?: number
          /**
           * How many recent times a lease of the pool was held were measured.
           */
          samples: number
        }
        /**
         * Clusters that are on their way to Ready.
         */
        coming: number
        /**
         * Clusters that come free when their leases end.
         */
        leased: number
      }
      /**
       * Absent when there are none.
       *
       * Items: One aspect of the state of the object.
       */
      conditions?: {
        /**
         * Aspect.
         */
        type: string
        /**
         * True, False or Unknown.
         */
        status: string
        /**
         * Stable code.
         */
        reason: string
        /**
         * A sentence.
         */
        message: string
        /**
         * When the status last changed.
         */
        lastTransitionTime: string
        [k: string]: unknown
      }[]
      /**
       * When it was requested (RFC 3339).
       */
      created_at?: string
      /**
       * When it was bound (RFC 3339).
       */
      bound_at?: string
      /**
       * How long the cluster is kept once bound.
       */
      ttl?: string
      /**
       * How many times it was extended.
       */
      extensions?: number
      /**
       * Why the lease is in this phase, as the operator would say it now.
       */
      because: {
        /**
         * Stable code.
         */
        reason: string
        /**
         * A sentence.
         */
        message: string
        /**
         * Since when (RFC 3339); absent: it is about to be recorded.
         */
        since?: string
      }
      /**
       * The moment it was planned for (RFC 3339).
       */
      at: string
      /**
       * What is ahead of the lease, soonest first.
       *
       * Items: What happens at a known time, if nothing else does before.
       */
      upcoming: {
        /**
         * What happens then.
         */
        kind:
          'QueueTimeout' | 'NextAttempt' | 'Expires' | 'IdleTimeout' | 'LatestEnd' | 'DiagnosticsTimeout' | 'Removed'
        /**
         * When (RFC 3339).
         */
        at: string
        /**
         * A sentence.
         */
        message: string
      }[]
      /**
       * What the planner has to say of the lease now.
       *
       * Items: One decision, or one decision not to act, and why.
       */
      notes: {
        /**
         * Stable code.
         */
        reason: string
        /**
         * A sentence with the numbers in it.
         */
        message: string
        /**
         * `Warning`: something a person should look at. `Debug`: detail.
         */
        level: 'Info' | 'Warning' | 'Debug'
        /**
         * Name of the member it is about; absent: the pool itself.
         */
        about?: string
      }[]
    }
  }
  /**
   * List the pools you may use.
   */
  listPools: {
    /**
     * By name.
     *
     * Items: One pool.
     */
    answer: {
      /**
       * Name of the pool.
       */
      name: string
      /**
       * Summary; absent before the first observation.
       */
      phase?: 'Healthy' | 'ScalingUp' | 'ScalingDown' | 'Backoff' | 'Failing' | 'Idle' | 'Quarantined'
      /**
       * Members that are warm and free.
       */
      ready: number
      /**
       * Members that are bound to a lease.
       */
      leased: number
      /**
       * Members on their way to Ready.
       */
      creating: number
      /**
       * Members that are being destroyed.
       */
      recycling: number
      /**
       * Members that failed.
       */
      unhealthy: number
      /**
       * Members whose cleanup could not be proven.
       */
      quarantined: number
      /**
       * Leases that wait.
       */
      queueDepth: number
      /**
       * Why the pool cannot progress by itself; absent while it can.
       */
      stalled?: {
        /**
         * Stable code.
         */
        reason: string
        /**
         * What a person has to change, in a sentence.
         */
        message: string
      }
      /**
       * What was configured.
       */
      policy: {
        /**
         * How the pool is sized.
         */
        mode: 'fixed' | 'autoscaled'
        /**
         * TTL of a lease whose requester does not say.
         */
        ttl: string
        /**
         * Members kept Ready.
         */
        warmTarget: number
        /**
         * Most members; autoscaled pools.
         */
        maxClusters?: number
        /**
         * Ready count at which demand is made good in advance; autoscaled pools.
         */
        scaleUpThreshold?: number
        /**
         * How long a surplus member stays idle; autoscaled pools.
         */
        scaleDownAfter?: string
        /**
         * How long a lease may wait in the queue.
         */
        queueTimeout?: string
      }
    }[]
  }
  /**
   * Look at a pool.
   */
  getPool: {
    params: {
      /**
       * Name of the pool.
       */
      name: string
    }
    /**
     * One pool.
     */
    answer: {
      /**
       * Name of the pool.
       */
      name: string
      /**
       * Summary; absent before the first observation.
       */
      phase?: 'Healthy' | 'ScalingUp' | 'ScalingDown' | 'Backoff' | 'Failing' | 'Idle' | 'Quarantined'
      /**
       * Members that are warm and free.
       */
      ready: number
      /**
       * Members that are bound to a lease.
       */
      leased: number
      /**
       * Members on their way to Ready.
       */
      creating: number
      /**
       * Members that are being destroyed.
       */
      recycling: number
      /**
       * Members that failed.
       */
      unhealthy: number
      /**
       * Members whose cleanup could not be proven.
       */
      quarantined: number
      /**
       * Leases that wait.
       */
      queueDepth: number
      /**
       * Why the pool cannot progress by itself; absent while it can.
       */
      stalled?: {
        /**
         * Stable code.
         */
        reason: string
        /**
         * What a person has to change, in a sentence.
         */
        message: string
      }
      /**
       * What was configured.
       */
      policy: {
        /**
         * How the pool is sized.
         */
        mode: 'fixed' | 'autoscaled'
        /**
         * TTL of a lease whose requester does not say.
         */
        ttl: string
        /**
         * Members kept Ready.
         */
        warmTarget: number
        /**
         * Most members; autoscaled pools.
         */
        maxClusters?: number
        /**
         * Ready count at which demand is made good in advance; autoscaled pools.
         */
        scaleUpThreshold?: number
        /**
         * How long a surplus member stays idle; autoscaled pools.
         */
        scaleDownAfter?: string
        /**
         * How long a lease may wait in the queue.
         */
        queueTimeout?: string
      }
    }
  }
  /**
   * Say what shapes the members of a pool, and which are outdated by what.
   */
  explainPool: {
    params: {
      /**
       * Name of the pool.
       */
      name: string
    }
    /**
     * What shapes the members of a pool, and which are outdated by what.
     */
    answer: {
      /**
       * Name of the pool.
       */
      name: string
      /**
       * Spec hash of the present template; absent before the first observation.
       */
      specHash?: string
      /**
       * The sources of the spec hash.
       */
      sources?: {
        /**
         * Which algorithm made the digests.
         */
        version: number
        /**
         * Digest of what the pool says of the shape of a member.
         */
        spec: string
        /**
         * Digest of the configuration of the operator that shapes members.
         */
        operator: string
        /**
         * Digest of the content of the BootstrapConfigs.
         */
        bootstraps: string
        /**
         * Digest of what the backend would make now.
         */
        workload: string
      }
      /**
       * Why the pool cannot progress by itself; absent while it can.
       */
      stalled?: {
        /**
         * Stable code.
         */
        reason: string
        /**
         * A sentence.
         */
        message: string
      }
      /**
       * By number.
       *
       * Items: One member.
       */
      members: {
        /**
         * Name of the ClusterInstance.
         */
        name: string
        /**
         * Phase of the member.
         */
        phase: string
        /**
         * Spec hash it was made with.
         */
        specHash?: string
        /**
         * Whether it was made from the present template.
         */
        state: 'current' | 'drifted' | 'unknown'
        /**
         * Sources that differ from the present template; empty when nobody can tell.
         *
         * Items: Source of the spec hash.
         */
        changedSources: ('spec' | 'operator' | 'bootstraps' | 'workload')[]
        /**
         * Changes of cluster, backend and resources since it was made.
         *
         * Items: One difference; without values where they may hold secrets.
         */
        changes: {
          /**
           * Source of the spec hash.
           */
          source: 'spec' | 'operator' | 'bootstraps' | 'workload'
          /**
           * Where in the source, such as `cluster.version`.
           */
          path: string
          /**
           * What the member was made with.
           */
          before?: unknown
          /**
           * What the pool says now.
           */
          after?: unknown
        }[]
      }[]
      /**
       * What the planner has to say of the pool now.
       *
       * Items: One decision, or one decision not to act, and why.
       */
      notes: {
        /**
         * Stable code.
         */
        reason: string
        /**
         * A sentence with the numbers in it.
         */
        message: string
        /**
         * `Warning`: something a person should look at. `Debug`: detail.
         */
        level: 'Info' | 'Warning' | 'Debug'
        /**
         * Name of the member it is about; absent: the pool itself.
         */
        about?: string
      }[]
    }
  }
  /**
   * Say what the operator would do for a pool now, and why.
   */
  planPool: {
    params: {
      /**
       * Name of the pool.
       */
      name: string
    }
    /**
     * What the operator would do for the pool now. Nothing is done by asking.
     */
    answer: {
      /**
       * Name of the pool.
       */
      name: string
      /**
       * The moment it was planned for (RFC 3339).
       */
      at: string
      /**
       * What the next pass does, in order; empty: nothing.
       *
       * Items: One step.
       */
      actions: {
        /**
         * What is done.
         */
        kind: 'AddFinalizer' | 'RemoveFinalizer' | 'CreateInstance' | 'RecycleInstance' | 'StampInstance'
        /**
         * Name of the member; absent: the pool itself.
         */
        member?: string
        /**
         * Why a member is recycled, such as `spec_drift` or `scale_down`.
         */
        reason?: string
        /**
         * A sentence.
         */
        message: string
      }[]
      /**
       * Why it does that, and why it does nothing else.
       *
       * Items: One decision, or one decision not to act, and why.
       */
      notes: {
        /**
         * Stable code.
         */
        reason: string
        /**
         * A sentence with the numbers in it.
         */
        message: string
        /**
         * `Warning`: something a person should look at. `Debug`: detail.
         */
        level: 'Info' | 'Warning' | 'Debug'
        /**
         * Name of the member it is about; absent: the pool itself.
         */
        about?: string
      }[]
      /**
       * When the pool is looked at again without an event; absent: only an event can change anything.
       */
      nextLookSeconds?: number
      /**
       * The change of the template that is being rolled out; absent when no member is outdated.
       */
      upgrade?: {
        /**
         * Outdated members that are in use or usable, leased ones included.
         */
        remaining: number
        /**
         * Least number of Ready members during the upgrade.
         */
        floor: number
        /**
         * Most members recycled for it at a time; 0 pauses it.
         */
        maxRecycling: number
        /**
         * Most members above the warm target meanwhile, as far as the ceiling leaves room.
         */
        maxSurge: number
        /**
         * When it began (RFC 3339); absent before its first pass.
         */
        startedAt?: string
      }
    }
  }
  /**
   * List the active leases of a pool.
   */
  listPoolLeases: {
    params: {
      /**
       * Name of the pool.
       */
      name: string
    }
    /**
     * Oldest first.
     *
     * Items: One lease in a list.
     */
    answer: {
      /**
       * Id of the lease.
       */
      id: string
      /**
       * Where in its life the lease is.
       */
      phase: 'Pending' | 'Bound' | 'Released' | 'Expired' | 'Recycling' | 'Quarantined'
      /**
       * Name of the pool.
       */
      profile: string
      /**
       * Name of the cluster, once bound.
       */
      cluster_name?: string
      /**
       * When the lease ends unless it is extended (RFC 3339).
       */
      expires_at?: string
      /**
       * Place in the queue, 1 being next; absent when not queued.
       */
      queue_position?: number
      /**
       * Where the diagnostics of the cluster are downloaded, once the lease has ended.
       */
      diagnostics_url?: string
      /**
       * The alias, if there is one.
       */
      alias?: string
      /**
       * What the request gave.
       */
      metadata?: {
        [k: string]: unknown
      }
      /**
       * While Pending: why it waits, such as `Warming`, `AllLeased`, `QuotaReached`, `Backoff`.
       */
      reason?: string
      /**
       * What is going on, in a sentence.
       */
      message?: string
      /**
       * While Pending: how long it may still take, where that is known.
       */
      estimate_seconds?: number
      /**
       * What the estimate was made from.
       */
      estimate_basis?: {
        /**
         * From the creation of a cluster until it is Ready.
         */
        creations: {
          /**
           * Mean of the recent creations of a cluster of the pool.
           */
          seconds?: number
          /**
           * How many recent creations of a cluster of the pool were measured.
           */
          samples: number
        }
        /**
         * From binding to end. Without any, a lease is taken to live until it expires.
         */
        holds: {
          /**
           * Mean of the recent times a lease of the pool was held.
           */
          seconds?: number
          /**
           * How many recent times a lease of the pool was held were measured.
           */
          samples: number
        }
        /**
         * Clusters that are on their way to Ready.
         */
        coming: number
        /**
         * Clusters that come free when their leases end.
         */
        leased: number
      }
      /**
       * Identity of the requester; only for own leases.
       */
      requester?: string
    }[]
  }
  /**
   * List the clusters you may see.
   */
  listClusters: {
    /**
     * The clusters you may see.
     */
    answer: {
      /**
       * By name.
       *
       * Items: One cluster.
       */
      clusters: {
        /**
         * Name of the cluster.
         */
        name: string
        /**
         * UID of the ManagedCluster: a namesake that is made later is another one.
         */
        uid: string
        /**
         * When it was described (RFC 3339).
         */
        createdAt?: string
        /**
         * Where in its life the cluster is.
         */
        state:
          | 'Created'
          | 'Running'
          | 'Alert'
          | 'Updating'
          | 'Upgrading'
          | 'Scaling'
          | 'Starting'
          | 'Stopping'
          | 'Stopped'
          | 'Recovering'
          | 'Error'
          | 'Destroying'
        /**
         * What runs its machines.
         */
        provider: string
        /**
         * The operation that holds the cluster; absent: nobody does.
         */
        operation?: {
          /**
           * Name of the operation.
           */
          name: string
          /**
           * What it does.
           */
          type: 'Rollout' | 'Upgrade' | 'Scale' | 'Start' | 'Stop' | 'Destroy'
          /**
           * When it took the cluster (RFC 3339).
           */
          since: string
        }
        /**
         * The operation that held the cluster before.
         */
        lastOperation?: {
          /**
           * Name of the operation.
           */
          name: string
          /**
           * How it ended.
           */
          phase: 'Succeeded' | 'Failed' | 'Cancelled' | 'Superseded'
          /**
           * When it let go of the cluster (RFC 3339).
           */
          endedAt: string
        }
        /**
         * Why nothing new starts, as `spec.policy.freeze` says; absent: nothing is frozen.
         */
        frozen?: string
        /**
         * The groups, in the order of the ManagedCluster.
         *
         * Items: One group.
         */
        groups: {
          /**
           * Name of the group.
           */
          name: string
          /**
           * What its nodes do.
           */
          type: 'control' | 'worker' | 'etcd'
          /**
           * Nodes of the group; absent before the first observation, as the other counts.
           */
          nodes?: number
          /**
           * Nodes that serve.
           */
          ready?: number
          /**
           * Nodes that differ from the settings of the group.
           */
          outOfDate?: number
          /**
           * Nodes that do not serve, whatever the cause.
           */
          unavailable?: number
          /**
           * What every node of the group should have.
           */
          settings: {
            /**
             * Size of the machine, as its provider calls it.
             */
            offering?: string
            /**
             * Size of the root disk in GB.
             */
            rootDiskSizeGB?: number
            /**
             * Affinity groups of the machine, all of them.
             *
             * @maxItems 64
             *
             * Items: One group.
             */
            affinityGroups?: string[]
            /**
             * Image of the machine. Only a replacement changes it.
             */
            image?: string
          }
          /**
           * Most nodes that may be unavailable at a time.
           */
          maxUnavailable: number | string
        }[]
        /**
         * Sum of the machines of control and worker nodes.
         */
        capacity?: {
          /**
           * CPU cores.
           */
          cpu: number
          /**
           * Memory as a Kubernetes quantity.
           */
          memory: string
        }
        /**
         * Why the last run stopped, and which nodes it could not do; absent when all went well.
         */
        lastError?: string
        /**
         * Nodes and machines that fit no group, the first few.
         *
         * Items: Name.
         */
        ungrouped?: string[]
        /**
         * Absent when there are none.
         *
         * Items: One aspect of the state of the object.
         */
        conditions?: {
          /**
           * Aspect.
           */
          type: string
          /**
           * True, False or Unknown.
           */
          status: string
          /**
           * Stable code.
           */
          reason: string
          /**
           * A sentence.
           */
          message: string
          /**
           * When the status last changed.
           */
          lastTransitionTime: string
          [k: string]: unknown
        }[]
      }[]
    }
  }
  /**
   * Describe a cluster that exists.
   */
  createCluster: {
    query?: {
      /**
       * What becomes of unknown fields of the body: nothing, a `Warning` header that names them, or a refusal. Default `Warn`.
       */
      fieldValidation?: 'Ignore' | 'Warn' | 'Strict'
    }
    /**
     * A cluster that exists, and whose nodes are to be looked after. Exactly one of `kubeconfig`, `kubeconfigSecret` and `inCluster`.
     */
    body: {
      /**
       * Name of the cluster; a DNS label.
       */
      name: string
      /**
       * The kubeconfig of the cluster, as text. Kept in a Secret and never shown again. One that runs a program, uses an `auth-provider` or names files is refused.
       */
      kubeconfig?: string
      /**
       * Name of a Secret that holds the kubeconfig under the key `kubeconfig`, instead of the text.
       */
      kubeconfigSecret?: string
      /**
       * It is the cluster that the operator runs in; instead of a kubeconfig.
       */
      inCluster?: boolean
      /**
       * Other API servers of the cluster, tried in turn while the first is down.
       *
       * Items: URL, https.
       */
      endpoints?: string[]
      /**
       * What runs the machines: `type`, and a block of that name with its settings.
       */
      provider: {
        /**
         * Which provider.
         */
        type: 'simulated' | 'cloudstack' | 'awsAutoScaling' | 'clusterApi'
        [k: string]: unknown
      }
      /**
       * The groups, as in `spec.nodeGroups` of a ManagedCluster.
       *
       * Items: One group.
       */
      nodeGroups: {
        /**
         * Name of the group.
         */
        name: string
        /**
         * What its nodes do.
         */
        type: 'control' | 'worker' | 'etcd'
        /**
         * Only the nodes that fit every part that is given.
         */
        selector?: {
          /**
           * Labels that the Node has.
           */
          matchLabels?: {
            [k: string]: string
          }
          /**
           * Zones, one of which the machine is in.
           *
           * @maxItems 64
           *
           * Items: One zone.
           */
          zones?: string[]
          /**
           * Names, one of which the Node or machine has.
           *
           * @maxItems 512
           *
           * Items: One name.
           */
          names?: string[]
        }
        /**
         * What every node of the group should have.
         */
        settings?: {
          /**
           * Size of the machine, as its provider calls it.
           */
          offering?: string
          /**
           * Size of the root disk in GB.
           */
          rootDiskSizeGB?: number
          /**
           * Affinity groups of the machine, all of them.
           *
           * @maxItems 64
           *
           * Items: One group.
           */
          affinityGroups?: string[]
          /**
           * Image of the machine. Only a replacement changes it.
           */
          image?: string
        }
        /**
         * Most nodes that may be unavailable at a time. Default 1.
         */
        maxUnavailable?: number | string
      }[]
      /**
       * As `spec.drain` of a ManagedCluster.
       */
      drain?: {
        [k: string]: unknown
      }
      /**
       * How long one batch may take. Default `1800s`.
       */
      nodeTimeout?: string
      /**
       * As `spec.healthChecks` of a ManagedCluster.
       *
       * Items: One check.
       */
      healthChecks?: {
        [k: string]: unknown
      }[]
      /**
       * As `spec.pace` of a ManagedCluster.
       */
      pace?: {
        [k: string]: unknown
      }
      /**
       * What goes first. Default etcd, control, worker.
       *
       * Items: A type or the name of a group.
       */
      order?: string[]
    }
    /**
     * One cluster.
     */
    answer: {
      /**
       * Name of the cluster.
       */
      name: string
      /**
       * UID of the ManagedCluster: a namesake that is made later is another one.
       */
      uid: string
      /**
       * When it was described (RFC 3339).
       */
      createdAt?: string
      /**
       * Where in its life the cluster is.
       */
      state:
        | 'Created'
        | 'Running'
        | 'Alert'
        | 'Updating'
        | 'Upgrading'
        | 'Scaling'
        | 'Starting'
        | 'Stopping'
        | 'Stopped'
        | 'Recovering'
        | 'Error'
        | 'Destroying'
      /**
       * What runs its machines.
       */
      provider: string
      /**
       * The operation that holds the cluster; absent: nobody does.
       */
      operation?: {
        /**
         * Name of the operation.
         */
        name: string
        /**
         * What it does.
         */
        type: 'Rollout' | 'Upgrade' | 'Scale' | 'Start' | 'Stop' | 'Destroy'
        /**
         * When it took the cluster (RFC 3339).
         */
        since: string
      }
      /**
       * The operation that held the cluster before.
       */
      lastOperation?: {
        /**
         * Name of the operation.
         */
        name: string
        /**
         * How it ended.
         */
        phase: 'Succeeded' | 'Failed' | 'Cancelled' | 'Superseded'
        /**
         * When it let go of the cluster (RFC 3339).
         */
        endedAt: string
      }
      /**
       * Why nothing new starts, as `spec.policy.freeze` says; absent: nothing is frozen.
       */
      frozen?: string
      /**
       * The groups, in the order of the ManagedCluster.
       *
       * Items: One group.
       */
      groups: {
        /**
         * Name of the group.
         */
        name: string
        /**
         * What its nodes do.
         */
        type: 'control' | 'worker' | 'etcd'
        /**
         * Nodes of the group; absent before the first observation, as the other counts.
         */
        nodes?: number
        /**
         * Nodes that serve.
         */
        ready?: number
        /**
         * Nodes that differ from the settings of the group.
         */
        outOfDate?: number
        /**
         * Nodes that do not serve, whatever the cause.
         */
        unavailable?: number
        /**
         * What every node of the group should have.
         */
        settings: {
          /**
           * Size of the machine, as its provider calls it.
           */
          offering?: string
          /**
           * Size of the root disk in GB.
           */
          rootDiskSizeGB?: number
          /**
           * Affinity groups of the machine, all of them.
           *
           * @maxItems 64
           *
           * Items: One group.
           */
          affinityGroups?: string[]
          /**
           * Image of the machine. Only a replacement changes it.
           */
          image?: string
        }
        /**
         * Most nodes that may be unavailable at a time.
         */
        maxUnavailable: number | string
      }[]
      /**
       * Sum of the machines of control and worker nodes.
       */
      capacity?: {
        /**
         * CPU cores.
         */
        cpu: number
        /**
         * Memory as a Kubernetes quantity.
         */
        memory: string
      }
      /**
       * Why the last run stopped, and which nodes it could not do; absent when all went well.
       */
      lastError?: string
      /**
       * Nodes and machines that fit no group, the first few.
       *
       * Items: Name.
       */
      ungrouped?: string[]
      /**
       * Absent when there are none.
       *
       * Items: One aspect of the state of the object.
       */
      conditions?: {
        /**
         * Aspect.
         */
        type: string
        /**
         * True, False or Unknown.
         */
        status: string
        /**
         * Stable code.
         */
        reason: string
        /**
         * A sentence.
         */
        message: string
        /**
         * When the status last changed.
         */
        lastTransitionTime: string
        [k: string]: unknown
      }[]
    }
  }
  /**
   * Look at a cluster and its nodes.
   */
  getCluster: {
    params: {
      /**
       * Name of the cluster.
       */
      name: string
    }
    /**
     * One cluster with its nodes.
     */
    answer: {
      /**
       * Name of the cluster.
       */
      name: string
      /**
       * UID of the ManagedCluster: a namesake that is made later is another one.
       */
      uid: string
      /**
       * When it was described (RFC 3339).
       */
      createdAt?: string
      /**
       * Where in its life the cluster is.
       */
      state:
        | 'Created'
        | 'Running'
        | 'Alert'
        | 'Updating'
        | 'Upgrading'
        | 'Scaling'
        | 'Starting'
        | 'Stopping'
        | 'Stopped'
        | 'Recovering'
        | 'Error'
        | 'Destroying'
      /**
       * What runs its machines.
       */
      provider: string
      /**
       * The operation that holds the cluster; absent: nobody does.
       */
      operation?: {
        /**
         * Name of the operation.
         */
        name: string
        /**
         * What it does.
         */
        type: 'Rollout' | 'Upgrade' | 'Scale' | 'Start' | 'Stop' | 'Destroy'
        /**
         * When it took the cluster (RFC 3339).
         */
        since: string
      }
      /**
       * The operation that held the cluster before.
       */
      lastOperation?: {
        /**
         * Name of the operation.
         */
        name: string
        /**
         * How it ended.
         */
        phase: 'Succeeded' | 'Failed' | 'Cancelled' | 'Superseded'
        /**
         * When it let go of the cluster (RFC 3339).
         */
        endedAt: string
      }
      /**
       * Why nothing new starts, as `spec.policy.freeze` says; absent: nothing is frozen.
       */
      frozen?: string
      /**
       * The groups, in the order of the ManagedCluster.
       *
       * Items: One group.
       */
      groups: {
        /**
         * Name of the group.
         */
        name: string
        /**
         * What its nodes do.
         */
        type: 'control' | 'worker' | 'etcd'
        /**
         * Nodes of the group; absent before the first observation, as the other counts.
         */
        nodes?: number
        /**
         * Nodes that serve.
         */
        ready?: number
        /**
         * Nodes that differ from the settings of the group.
         */
        outOfDate?: number
        /**
         * Nodes that do not serve, whatever the cause.
         */
        unavailable?: number
        /**
         * What every node of the group should have.
         */
        settings: {
          /**
           * Size of the machine, as its provider calls it.
           */
          offering?: string
          /**
           * Size of the root disk in GB.
           */
          rootDiskSizeGB?: number
          /**
           * Affinity groups of the machine, all of them.
           *
           * @maxItems 64
           *
           * Items: One group.
           */
          affinityGroups?: string[]
          /**
           * Image of the machine. Only a replacement changes it.
           */
          image?: string
        }
        /**
         * Most nodes that may be unavailable at a time.
         */
        maxUnavailable: number | string
      }[]
      /**
       * Sum of the machines of control and worker nodes.
       */
      capacity?: {
        /**
         * CPU cores.
         */
        cpu: number
        /**
         * Memory as a Kubernetes quantity.
         */
        memory: string
      }
      /**
       * Why the last run stopped, and which nodes it could not do; absent when all went well.
       */
      lastError?: string
      /**
       * Nodes and machines that fit no group, the first few.
       *
       * Items: Name.
       */
      ungrouped?: string[]
      /**
       * Absent when there are none.
       *
       * Items: One aspect of the state of the object.
       */
      conditions?: {
        /**
         * Aspect.
         */
        type: string
        /**
         * True, False or Unknown.
         */
        status: string
        /**
         * Stable code.
         */
        reason: string
        /**
         * A sentence.
         */
        message: string
        /**
         * When the status last changed.
         */
        lastTransitionTime: string
        [k: string]: unknown
      }[]
      /**
       * In the order of the groups, then by name.
       *
       * Items: One node.
       */
      nodes: {
        /**
         * Name of the Node; of the machine, for one without a Node.
         */
        name: string
        /**
         * Name of its group.
         */
        group: string
        /**
         * What it does.
         */
        type: 'control' | 'worker' | 'etcd'
        /**
         * Where its machine is.
         */
        zone?: string
        /**
         * State of its machine, such as `Running` or `Stopped`; absent: the provider could not be asked, or has none.
         */
        machine?: string
        /**
         * Whether its Node is Ready; absent: it has none, or the cluster does not answer.
         */
        ready?: boolean
        /**
         * Whose cordon is on it: `ours` of a run, `foreign` of somebody else.
         */
        cordon?: 'none' | 'ours' | 'foreign'
        /**
         * It carries the mark of a run.
         */
        marked?: boolean
        /**
         * Why a rollout would restart it; empty: it would not.
         *
         * Items: One difference.
         */
        outOfDate: string[]
        /**
         * Where the run that holds the cluster is with it.
         */
        step?:
          | 'Claimed'
          | 'Marking'
          | 'Cordoning'
          | 'Draining'
          | 'Stopping'
          | 'Changing'
          | 'Starting'
          | 'Verifying'
          | 'Uncordoning'
          | 'Restoring'
          | 'Failed'
          | 'Skipped'
        /**
         * When it came to that step (RFC 3339).
         */
        since?: string
        /**
         * What that step waits for, or why it failed.
         */
        waitingFor?: string
      }[]
    }
  }
  /**
   * Say what a rollout would do now, and why.
   */
  planRollout: {
    params: {
      /**
       * Name of the cluster.
       */
      name: string
    }
    query?: {
      /**
       * Most workers of a group at a time: a number or a percentage. Default: as the group says.
       */
      maxUnavailable?: string
      /**
       * Whether the only worker may be taken down. Default `false`.
       */
      allowLastWorker?: 'true' | 'false'
    }
    /**
     * What a rollout would do now. Nothing is done by asking.
     */
    answer: {
      /**
       * Name of the cluster.
       */
      cluster: string
      /**
       * State of the cluster.
       */
      state:
        | 'Created'
        | 'Running'
        | 'Alert'
        | 'Updating'
        | 'Upgrading'
        | 'Scaling'
        | 'Starting'
        | 'Stopping'
        | 'Stopped'
        | 'Recovering'
        | 'Error'
        | 'Destroying'
      /**
       * Why a rollout would not start now; absent: it would.
       */
      refused?: {
        /**
         * Stable code.
         */
        reason: string
        /**
         * A sentence.
         */
        message: string
      }
      /**
       * Every group.
       *
       * Items: One group.
       */
      groups: {
        /**
         * Name of the group.
         */
        name: string
        /**
         * What its nodes do.
         */
        type: 'control' | 'worker' | 'etcd'
        /**
         * Its nodes.
         */
        nodes: number
        /**
         * Nodes that differ.
         */
        outOfDate: number
        /**
         * Why nothing of it is rolled although it differs.
         */
        skipped?: string
      }[]
      /**
       * In the order in which they would go.
       *
       * Items: One batch.
       */
      batches: {
        /**
         * Group of the nodes.
         */
        group: string
        /**
         * Nodes that are down together.
         *
         * Items: One node.
         */
        nodes: {
          /**
           * Name of the node.
           */
          name: string
          /**
           * Why it is rolled.
           *
           * Items: One difference.
           */
          reasons: string[]
          /**
           * An earlier run left it behind: stopped, or marked.
           */
          leftover?: boolean
          /**
           * What its drain would meet.
           *
           * Items: Something that the drain of the node would meet.
           */
          findings: {
            /**
             * What was found.
             */
            kind:
              | 'ZeroBudget'
              | 'ClosedBudget'
              | 'SeveralBudgets'
              | 'Unmanaged'
              | 'EmptyDir'
              | 'DaemonSetUnknown'
              | 'LongJob'
              | 'NoRoom'
              | 'Denied'
              | 'Forbidden'
              | 'ServerError'
            /**
             * The drain would fail on it.
             */
            blocks: boolean
            /**
             * The pods.
             *
             * Items: `namespace/name`.
             */
            pods: string[]
            /**
             * The PodDisruptionBudgets.
             *
             * Items: `namespace/name`.
             */
            budgets: string[]
            /**
             * A sentence.
             */
            message: string
          }[]
        }[]
        /**
         * What the run would wait for before it; empty: nothing.
         *
         * Items: A sentence.
         */
        waitsFor: string[]
        /**
         * How long the batch takes, milliseconds.
         */
        estimateMs: number
      }[]
      /**
       * Nodes that differ, or are stopped, and are not rolled.
       *
       * Items: One node.
       */
      leftOut: {
        /**
         * Name of the node.
         */
        node: string
        /**
         * Stable code.
         */
        reason: string
        /**
         * A sentence.
         */
        message: string
      }[]
      /**
       * Nodes in all batches.
       */
      totalNodes: number
      /**
       * How long the whole run takes, milliseconds.
       */
      estimateMs: number
      /**
       * What the estimate comes from, in words.
       */
      estimateBasis: string
      /**
       * What else is to be known.
       *
       * Items: One decision, or one decision not to act, and why.
       */
      notes: {
        /**
         * Stable code.
         */
        reason: string
        /**
         * A sentence with the numbers in it.
         */
        message: string
        /**
         * `Warning`: something a person should look at. `Debug`: detail.
         */
        level: 'Info' | 'Warning' | 'Debug'
        /**
         * Name of the member it is about; absent: the pool itself.
         */
        about?: string
      }[]
    }
  }
  /**
   * Say what a rollout of other settings would do.
   */
  planRolloutOfSettings: {
    params: {
      /**
       * Name of the cluster.
       */
      name: string
    }
    query?: {
      /**
       * What becomes of unknown fields of the body: nothing, a `Warning` header that names them, or a refusal. Default `Warn`.
       */
      fieldValidation?: 'Ignore' | 'Warn' | 'Strict'
    }
    /**
     * A rollout that is only planned. Nothing is stored and no node is touched.
     */
    body: {
      /**
       * Settings by the name of a group, or by a type (`control`, `worker`, `etcd`) for all of its groups. What is left out stays as it is.
       */
      settings?: {
        /**
         * What every node of the group should have.
         */
        [k: string]: {
          /**
           * Size of the machine, as its provider calls it.
           */
          offering?: string
          /**
           * Size of the root disk in GB.
           */
          rootDiskSizeGB?: number
          /**
           * Affinity groups of the machine, all of them.
           *
           * @maxItems 64
           *
           * Items: One group.
           */
          affinityGroups?: string[]
          /**
           * Image of the machine. Only a replacement changes it.
           */
          image?: string
        }
      }
      /**
       * Most workers of a group at a time, instead of what the group says: a number, or a percentage such as `10%`.
       */
      maxUnavailable?: number | string
      /**
       * Whether the only worker of the cluster may be taken down: nothing serves meanwhile. Default false.
       */
      allowLastWorker?: boolean
      /**
       * Only the nodes that fit every part that is given.
       */
      selector?: {
        /**
         * Labels that the Node has.
         */
        matchLabels?: {
          [k: string]: string
        }
        /**
         * Zones, one of which the machine is in.
         *
         * @maxItems 64
         *
         * Items: One zone.
         */
        zones?: string[]
        /**
         * Names, one of which the Node or machine has.
         *
         * @maxItems 512
         *
         * Items: One name.
         */
        names?: string[]
      }
    }
    /**
     * What a rollout would do now. Nothing is done by asking.
     */
    answer: {
      /**
       * Name of the cluster.
       */
      cluster: string
      /**
       * State of the cluster.
       */
      state:
        | 'Created'
        | 'Running'
        | 'Alert'
        | 'Updating'
        | 'Upgrading'
        | 'Scaling'
        | 'Starting'
        | 'Stopping'
        | 'Stopped'
        | 'Recovering'
        | 'Error'
        | 'Destroying'
      /**
       * Why a rollout would not start now; absent: it would.
       */
      refused?: {
        /**
         * Stable code.
         */
        reason: string
        /**
         * A sentence.
         */
        message: string
      }
      /**
       * Every group.
       *
       * Items: One group.
       */
      groups: {
        /**
         * Name of the group.
         */
        name: string
        /**
         * What its nodes do.
         */
        type: 'control' | 'worker' | 'etcd'
        /**
         * Its nodes.
         */
        nodes: number
        /**
         * Nodes that differ.
         */
        outOfDate: number
        /**
         * Why nothing of it is rolled although it differs.
         */
        skipped?: string
      }[]
      /**
       * In the order in which they would go.
       *
       * Items: One batch.
       */
      batches: {
        /**
         * Group of the nodes.
         */
        group: string
        /**
         * Nodes that are down together.
         *
         * Items: One node.
         */
        nodes: {
          /**
           * Name of the node.
           */
          name: string
          /**
           * Why it is rolled.
           *
           * Items: One difference.
           */
          reasons: string[]
          /**
           * An earlier run left it behind: stopped, or marked.
           */
          leftover?: boolean
          /**
           * What its drain would meet.
           *
           * Items: Something that the drain of the node would meet.
           */
          findings: {
            /**
             * What was found.
             */
            kind:
              | 'ZeroBudget'
              | 'ClosedBudget'
              | 'SeveralBudgets'
              | 'Unmanaged'
              | 'EmptyDir'
              | 'DaemonSetUnknown'
              | 'LongJob'
              | 'NoRoom'
              | 'Denied'
              | 'Forbidden'
              | 'ServerError'
            /**
             * The drain would fail on it.
             */
            blocks: boolean
            /**
             * The pods.
             *
             * Items: `namespace/name`.
             */
            pods: string[]
            /**
             * The PodDisruptionBudgets.
             *
             * Items: `namespace/name`.
             */
            budgets: string[]
            /**
             * A sentence.
             */
            message: string
          }[]
        }[]
        /**
         * What the run would wait for before it; empty: nothing.
         *
         * Items: A sentence.
         */
        waitsFor: string[]
        /**
         * How long the batch takes, milliseconds.
         */
        estimateMs: number
      }[]
      /**
       * Nodes that differ, or are stopped, and are not rolled.
       *
       * Items: One node.
       */
      leftOut: {
        /**
         * Name of the node.
         */
        node: string
        /**
         * Stable code.
         */
        reason: string
        /**
         * A sentence.
         */
        message: string
      }[]
      /**
       * Nodes in all batches.
       */
      totalNodes: number
      /**
       * How long the whole run takes, milliseconds.
       */
      estimateMs: number
      /**
       * What the estimate comes from, in words.
       */
      estimateBasis: string
      /**
       * What else is to be known.
       *
       * Items: One decision, or one decision not to act, and why.
       */
      notes: {
        /**
         * Stable code.
         */
        reason: string
        /**
         * A sentence with the numbers in it.
         */
        message: string
        /**
         * `Warning`: something a person should look at. `Debug`: detail.
         */
        level: 'Info' | 'Warning' | 'Debug'
        /**
         * Name of the member it is about; absent: the pool itself.
         */
        about?: string
      }[]
    }
  }
  /**
   * Store settings without touching a node.
   */
  setClusterSettings: {
    params: {
      /**
       * Name of the cluster.
       */
      name: string
    }
    query?: {
      /**
       * What becomes of unknown fields of the body: nothing, a `Warning` header that names them, or a refusal. Default `Warn`.
       */
      fieldValidation?: 'Ignore' | 'Warn' | 'Strict'
    }
    /**
     * Settings to keep. No node is touched: a rollout brings the nodes to them.
     */
    body: {
      /**
       * Settings by the name of a group, or by a type (`control`, `worker`, `etcd`) for all of its groups. What is left out stays as it is.
       */
      groups: {
        /**
         * What every node of the group should have.
         */
        [k: string]: {
          /**
           * Size of the machine, as its provider calls it.
           */
          offering?: string
          /**
           * Size of the root disk in GB.
           */
          rootDiskSizeGB?: number
          /**
           * Affinity groups of the machine, all of them.
           *
           * @maxItems 64
           *
           * Items: One group.
           */
          affinityGroups?: string[]
          /**
           * Image of the machine. Only a replacement changes it.
           */
          image?: string
        }
      }
    }
    /**
     * One cluster.
     */
    answer: {
      /**
       * Name of the cluster.
       */
      name: string
      /**
       * UID of the ManagedCluster: a namesake that is made later is another one.
       */
      uid: string
      /**
       * When it was described (RFC 3339).
       */
      createdAt?: string
      /**
       * Where in its life the cluster is.
       */
      state:
        | 'Created'
        | 'Running'
        | 'Alert'
        | 'Updating'
        | 'Upgrading'
        | 'Scaling'
        | 'Starting'
        | 'Stopping'
        | 'Stopped'
        | 'Recovering'
        | 'Error'
        | 'Destroying'
      /**
       * What runs its machines.
       */
      provider: string
      /**
       * The operation that holds the cluster; absent: nobody does.
       */
      operation?: {
        /**
         * Name of the operation.
         */
        name: string
        /**
         * What it does.
         */
        type: 'Rollout' | 'Upgrade' | 'Scale' | 'Start' | 'Stop' | 'Destroy'
        /**
         * When it took the cluster (RFC 3339).
         */
        since: string
      }
      /**
       * The operation that held the cluster before.
       */
      lastOperation?: {
        /**
         * Name of the operation.
         */
        name: string
        /**
         * How it ended.
         */
        phase: 'Succeeded' | 'Failed' | 'Cancelled' | 'Superseded'
        /**
         * When it let go of the cluster (RFC 3339).
         */
        endedAt: string
      }
      /**
       * Why nothing new starts, as `spec.policy.freeze` says; absent: nothing is frozen.
       */
      frozen?: string
      /**
       * The groups, in the order of the ManagedCluster.
       *
       * Items: One group.
       */
      groups: {
        /**
         * Name of the group.
         */
        name: string
        /**
         * What its nodes do.
         */
        type: 'control' | 'worker' | 'etcd'
        /**
         * Nodes of the group; absent before the first observation, as the other counts.
         */
        nodes?: number
        /**
         * Nodes that serve.
         */
        ready?: number
        /**
         * Nodes that differ from the settings of the group.
         */
        outOfDate?: number
        /**
         * Nodes that do not serve, whatever the cause.
         */
        unavailable?: number
        /**
         * What every node of the group should have.
         */
        settings: {
          /**
           * Size of the machine, as its provider calls it.
           */
          offering?: string
          /**
           * Size of the root disk in GB.
           */
          rootDiskSizeGB?: number
          /**
           * Affinity groups of the machine, all of them.
           *
           * @maxItems 64
           *
           * Items: One group.
           */
          affinityGroups?: string[]
          /**
           * Image of the machine. Only a replacement changes it.
           */
          image?: string
        }
        /**
         * Most nodes that may be unavailable at a time.
         */
        maxUnavailable: number | string
      }[]
      /**
       * Sum of the machines of control and worker nodes.
       */
      capacity?: {
        /**
         * CPU cores.
         */
        cpu: number
        /**
         * Memory as a Kubernetes quantity.
         */
        memory: string
      }
      /**
       * Why the last run stopped, and which nodes it could not do; absent when all went well.
       */
      lastError?: string
      /**
       * Nodes and machines that fit no group, the first few.
       *
       * Items: Name.
       */
      ungrouped?: string[]
      /**
       * Absent when there are none.
       *
       * Items: One aspect of the state of the object.
       */
      conditions?: {
        /**
         * Aspect.
         */
        type: string
        /**
         * True, False or Unknown.
         */
        status: string
        /**
         * Stable code.
         */
        reason: string
        /**
         * A sentence.
         */
        message: string
        /**
         * When the status last changed.
         */
        lastTransitionTime: string
        [k: string]: unknown
      }[]
    }
  }
  /**
   * List operations on the clusters you may see.
   */
  listOperations: {
    query?: {
      /**
       * Only those of this cluster.
       */
      cluster?: string
      /**
       * At most so many; default 50.
       */
      limit?: string
    }
    /**
     * Operations on clusters that you may see.
     */
    answer: {
      /**
       * Newest first.
       *
       * Items: One run over the nodes of a cluster.
       */
      operations: {
        /**
         * Name of the operation.
         */
        name: string
        /**
         * UID of the NodeOperation.
         */
        uid: string
        /**
         * Name of the cluster.
         */
        cluster: string
        /**
         * What it does.
         */
        type: 'Rollout' | 'Upgrade' | 'Scale' | 'Start' | 'Stop' | 'Destroy'
        /**
         * How nodes get new settings; absent: what the provider can do.
         */
        strategy?: 'Restart' | 'Replace'
        /**
         * How far it is.
         */
        phase: 'Pending' | 'Running' | 'Frozen' | 'Succeeded' | 'Failed' | 'Cancelled' | 'Superseded'
        /**
         * Nothing changes any more.
         */
        ended: boolean
        /**
         * State that the cluster has for it.
         */
        state?:
          | 'Created'
          | 'Running'
          | 'Alert'
          | 'Updating'
          | 'Upgrading'
          | 'Scaling'
          | 'Starting'
          | 'Stopping'
          | 'Stopped'
          | 'Recovering'
          | 'Error'
          | 'Destroying'
        /**
         * Stable code of what it does, waits for, or ended with.
         */
        reason?: string
        /**
         * What is going on, in a sentence.
         */
        message?: string
        /**
         * When it was asked for (RFC 3339).
         */
        createdAt?: string
        /**
         * When it took the cluster (RFC 3339).
         */
        startedAt?: string
        /**
         * When it ended (RFC 3339).
         */
        endedAt?: string
        /**
         * Nodes by where they are; absent before the operation has taken its cluster.
         */
        progress?: {
          /**
           * Nodes that the run is about.
           */
          total: number
          /**
           * Nodes that this run brought to the wanted settings.
           */
          done: number
          /**
           * Nodes that are still to be done.
           */
          outOfDate: number
          /**
           * Nodes that are worked on now.
           */
          inFlight: number
          /**
           * Nodes that failed.
           */
          failed: number
          /**
           * Nodes that were left out.
           */
          skipped: number
          /**
           * Batches that are over.
           */
          batches?: number
        }
        /**
         * Those that are worked on, failed or were skipped.
         *
         * Items: One node that is worked on, failed or was skipped.
         */
        nodes: {
          /**
           * Name of the node.
           */
          name: string
          /**
           * Name of its group.
           */
          group: string
          /**
           * Where it is.
           */
          step:
            | 'Claimed'
            | 'Marking'
            | 'Cordoning'
            | 'Draining'
            | 'Stopping'
            | 'Changing'
            | 'Starting'
            | 'Verifying'
            | 'Uncordoning'
            | 'Restoring'
            | 'Failed'
            | 'Skipped'
          /**
           * When it came there (RFC 3339).
           */
          since: string
          /**
           * What it waits for, or why it failed.
           */
          waitingFor?: string
          /**
           * How long it may still take, milliseconds; absent: nothing is known.
           */
          estimateMs?: number
        }[]
        /**
         * When it will be done at the pace so far (RFC 3339).
         */
        eta?: string
        /**
         * The same from now, milliseconds.
         */
        etaMs?: number
        /**
         * Why it failed.
         */
        lastError?: string
        /**
         * Most workers of a group at a time, where it was asked for.
         */
        maxUnavailable?: unknown
        /**
         * Whether the only worker may be taken down.
         */
        allowLastWorker: boolean
        /**
         * It holds the cluster, or waits for it, until its settings are stored.
         */
        storingSettings?: boolean
        /**
         * It ends after the nodes that are being worked on.
         */
        cancelRequested: boolean
        /**
         * Who asked for that, or why its settings were not stored.
         */
        cancelReason?: string
        /**
         * Identity of who asked for it; absent: it was not asked for through this API.
         */
        requestedBy?: string
      }[]
    }
  }
  /**
   * Start an operation on a cluster.
   */
  createOperation: {
    query?: {
      /**
       * What becomes of unknown fields of the body: nothing, a `Warning` header that names them, or a refusal. Default `Warn`.
       */
      fieldValidation?: 'Ignore' | 'Warn' | 'Strict'
    }
    /**
     * A run over the nodes of a cluster. `settings`, `maxUnavailable`, `allowLastWorker` and `selector` are for a Rollout only.
     */
    body: {
      /**
       * Name of the cluster.
       */
      cluster: string
      /**
       * What is done.
       */
      type: 'Rollout' | 'Start' | 'Stop' | 'Destroy'
      /**
       * Settings by the name of a group, or by a type (`control`, `worker`, `etcd`) for all of its groups. What is left out stays as it is.
       */
      settings?: {
        /**
         * What every node of the group should have.
         */
        [k: string]: {
          /**
           * Size of the machine, as its provider calls it.
           */
          offering?: string
          /**
           * Size of the root disk in GB.
           */
          rootDiskSizeGB?: number
          /**
           * Affinity groups of the machine, all of them.
           *
           * @maxItems 64
           *
           * Items: One group.
           */
          affinityGroups?: string[]
          /**
           * Image of the machine. Only a replacement changes it.
           */
          image?: string
        }
      }
      /**
       * Most workers of a group at a time, instead of what the group says: a number, or a percentage such as `10%`.
       */
      maxUnavailable?: number | string
      /**
       * Whether the only worker of the cluster may be taken down: nothing serves meanwhile. Default false.
       */
      allowLastWorker?: boolean
      /**
       * Only the nodes that fit every part that is given.
       */
      selector?: {
        /**
         * Labels that the Node has.
         */
        matchLabels?: {
          [k: string]: string
        }
        /**
         * Zones, one of which the machine is in.
         *
         * @maxItems 64
         *
         * Items: One zone.
         */
        zones?: string[]
        /**
         * Names, one of which the Node or machine has.
         *
         * @maxItems 512
         *
         * Items: One name.
         */
        names?: string[]
      }
      /**
       * The same key and body from the same caller answer the same operation. Also as header `Idempotency-Key`.
       */
      idempotencyKey?: string
    }
    /**
     * One run over the nodes of a cluster.
     */
    answer: {
      /**
       * Name of the operation.
       */
      name: string
      /**
       * UID of the NodeOperation.
       */
      uid: string
      /**
       * Name of the cluster.
       */
      cluster: string
      /**
       * What it does.
       */
      type: 'Rollout' | 'Upgrade' | 'Scale' | 'Start' | 'Stop' | 'Destroy'
      /**
       * How nodes get new settings; absent: what the provider can do.
       */
      strategy?: 'Restart' | 'Replace'
      /**
       * How far it is.
       */
      phase: 'Pending' | 'Running' | 'Frozen' | 'Succeeded' | 'Failed' | 'Cancelled' | 'Superseded'
      /**
       * Nothing changes any more.
       */
      ended: boolean
      /**
       * State that the cluster has for it.
       */
      state?:
        | 'Created'
        | 'Running'
        | 'Alert'
        | 'Updating'
        | 'Upgrading'
        | 'Scaling'
        | 'Starting'
        | 'Stopping'
        | 'Stopped'
        | 'Recovering'
        | 'Error'
        | 'Destroying'
      /**
       * Stable code of what it does, waits for, or ended with.
       */
      reason?: string
      /**
       * What is going on, in a sentence.
       */
      message?: string
      /**
       * When it was asked for (RFC 3339).
       */
      createdAt?: string
      /**
       * When it took the cluster (RFC 3339).
       */
      startedAt?: string
      /**
       * When it ended (RFC 3339).
       */
      endedAt?: string
      /**
       * Nodes by where they are; absent before the operation has taken its cluster.
       */
      progress?: {
        /**
         * Nodes that the run is about.
         */
        total: number
        /**
         * Nodes that this run brought to the wanted settings.
         */
        done: number
        /**
         * Nodes that are still to be done.
         */
        outOfDate: number
        /**
         * Nodes that are worked on now.
         */
        inFlight: number
        /**
         * Nodes that failed.
         */
        failed: number
        /**
         * Nodes that were left out.
         */
        skipped: number
        /**
         * Batches that are over.
         */
        batches?: number
      }
      /**
       * Those that are worked on, failed or were skipped.
       *
       * Items: One node that is worked on, failed or was skipped.
       */
      nodes: {
        /**
         * Name of the node.
         */
        name: string
        /**
         * Name of its group.
         */
        group: string
        /**
         * Where it is.
         */
        step:
          | 'Claimed'
          | 'Marking'
          | 'Cordoning'
          | 'Draining'
          | 'Stopping'
          | 'Changing'
          | 'Starting'
          | 'Verifying'
          | 'Uncordoning'
          | 'Restoring'
          | 'Failed'
          | 'Skipped'
        /**
         * When it came there (RFC 3339).
         */
        since: string
        /**
         * What it waits for, or why it failed.
         */
        waitingFor?: string
        /**
         * How long it may still take, milliseconds; absent: nothing is known.
         */
        estimateMs?: number
      }[]
      /**
       * When it will be done at the pace so far (RFC 3339).
       */
      eta?: string
      /**
       * The same from now, milliseconds.
       */
      etaMs?: number
      /**
       * Why it failed.
       */
      lastError?: string
      /**
       * Most workers of a group at a time, where it was asked for.
       */
      maxUnavailable?: unknown
      /**
       * Whether the only worker may be taken down.
       */
      allowLastWorker: boolean
      /**
       * It holds the cluster, or waits for it, until its settings are stored.
       */
      storingSettings?: boolean
      /**
       * It ends after the nodes that are being worked on.
       */
      cancelRequested: boolean
      /**
       * Who asked for that, or why its settings were not stored.
       */
      cancelReason?: string
      /**
       * Identity of who asked for it; absent: it was not asked for through this API.
       */
      requestedBy?: string
    }
  }
  /**
   * Look at an operation.
   */
  getOperation: {
    params: {
      /**
       * Name of the operation.
       */
      name: string
    }
    query?: {
      /**
       * Answer only when the operation has ended, or after this long, such as `30s` (`60s` is the longest).
       */
      wait?: string
    }
    /**
     * One run over the nodes of a cluster.
     */
    answer: {
      /**
       * Name of the operation.
       */
      name: string
      /**
       * UID of the NodeOperation.
       */
      uid: string
      /**
       * Name of the cluster.
       */
      cluster: string
      /**
       * What it does.
       */
      type: 'Rollout' | 'Upgrade' | 'Scale' | 'Start' | 'Stop' | 'Destroy'
      /**
       * How nodes get new settings; absent: what the provider can do.
       */
      strategy?: 'Restart' | 'Replace'
      /**
       * How far it is.
       */
      phase: 'Pending' | 'Running' | 'Frozen' | 'Succeeded' | 'Failed' | 'Cancelled' | 'Superseded'
      /**
       * Nothing changes any more.
       */
      ended: boolean
      /**
       * State that the cluster has for it.
       */
      state?:
        | 'Created'
        | 'Running'
        | 'Alert'
        | 'Updating'
        | 'Upgrading'
        | 'Scaling'
        | 'Starting'
        | 'Stopping'
        | 'Stopped'
        | 'Recovering'
        | 'Error'
        | 'Destroying'
      /**
       * Stable code of what it does, waits for, or ended with.
       */
      reason?: string
      /**
       * What is going on, in a sentence.
       */
      message?: string
      /**
       * When it was asked for (RFC 3339).
       */
      createdAt?: string
      /**
       * When it took the cluster (RFC 3339).
       */
      startedAt?: string
      /**
       * When it ended (RFC 3339).
       */
      endedAt?: string
      /**
       * Nodes by where they are; absent before the operation has taken its cluster.
       */
      progress?: {
        /**
         * Nodes that the run is about.
         */
        total: number
        /**
         * Nodes that this run brought to the wanted settings.
         */
        done: number
        /**
         * Nodes that are still to be done.
         */
        outOfDate: number
        /**
         * Nodes that are worked on now.
         */
        inFlight: number
        /**
         * Nodes that failed.
         */
        failed: number
        /**
         * Nodes that were left out.
         */
        skipped: number
        /**
         * Batches that are over.
         */
        batches?: number
      }
      /**
       * Those that are worked on, failed or were skipped.
       *
       * Items: One node that is worked on, failed or was skipped.
       */
      nodes: {
        /**
         * Name of the node.
         */
        name: string
        /**
         * Name of its group.
         */
        group: string
        /**
         * Where it is.
         */
        step:
          | 'Claimed'
          | 'Marking'
          | 'Cordoning'
          | 'Draining'
          | 'Stopping'
          | 'Changing'
          | 'Starting'
          | 'Verifying'
          | 'Uncordoning'
          | 'Restoring'
          | 'Failed'
          | 'Skipped'
        /**
         * When it came there (RFC 3339).
         */
        since: string
        /**
         * What it waits for, or why it failed.
         */
        waitingFor?: string
        /**
         * How long it may still take, milliseconds; absent: nothing is known.
         */
        estimateMs?: number
      }[]
      /**
       * When it will be done at the pace so far (RFC 3339).
       */
      eta?: string
      /**
       * The same from now, milliseconds.
       */
      etaMs?: number
      /**
       * Why it failed.
       */
      lastError?: string
      /**
       * Most workers of a group at a time, where it was asked for.
       */
      maxUnavailable?: unknown
      /**
       * Whether the only worker may be taken down.
       */
      allowLastWorker: boolean
      /**
       * It holds the cluster, or waits for it, until its settings are stored.
       */
      storingSettings?: boolean
      /**
       * It ends after the nodes that are being worked on.
       */
      cancelRequested: boolean
      /**
       * Who asked for that, or why its settings were not stored.
       */
      cancelReason?: string
      /**
       * Identity of who asked for it; absent: it was not asked for through this API.
       */
      requestedBy?: string
    }
  }
  /**
   * Say why an operation does what it does.
   */
  explainOperation: {
    params: {
      /**
       * Name of the operation.
       */
      name: string
    }
    /**
     * Why an operation does what it does.
     */
    answer: {
      /**
       * One run over the nodes of a cluster.
       */
      operation: {
        /**
         * Name of the operation.
         */
        name: string
        /**
         * UID of the NodeOperation.
         */
        uid: string
        /**
         * Name of the cluster.
         */
        cluster: string
        /**
         * What it does.
         */
        type: 'Rollout' | 'Upgrade' | 'Scale' | 'Start' | 'Stop' | 'Destroy'
        /**
         * How nodes get new settings; absent: what the provider can do.
         */
        strategy?: 'Restart' | 'Replace'
        /**
         * How far it is.
         */
        phase: 'Pending' | 'Running' | 'Frozen' | 'Succeeded' | 'Failed' | 'Cancelled' | 'Superseded'
        /**
         * Nothing changes any more.
         */
        ended: boolean
        /**
         * State that the cluster has for it.
         */
        state?:
          | 'Created'
          | 'Running'
          | 'Alert'
          | 'Updating'
          | 'Upgrading'
          | 'Scaling'
          | 'Starting'
          | 'Stopping'
          | 'Stopped'
          | 'Recovering'
          | 'Error'
          | 'Destroying'
        /**
         * Stable code of what it does, waits for, or ended with.
         */
        reason?: string
        /**
         * What is going on, in a sentence.
         */
        message?: string
        /**
         * When it was asked for (RFC 3339).
         */
        createdAt?: string
        /**
         * When it took the cluster (RFC 3339).
         */
        startedAt?: string
        /**
         * When it ended (RFC 3339).
         */
        endedAt?: string
        /**
         * Nodes by where they are; absent before the operation has taken its cluster.
         */
        progress?: {
          /**
           * Nodes that the run is about.
           */
          total: number
          /**
           * Nodes that this run brought to the wanted settings.
           */
          done: number
          /**
           * Nodes that are still to be done.
           */
          outOfDate: number
          /**
           * Nodes that are worked on now.
           */
          inFlight: number
          /**
           * Nodes that failed.
           */
          failed: number
          /**
           * Nodes that were left out.
           */
          skipped: number
          /**
           * Batches that are over.
           */
          batches?: number
        }
        /**
         * Those that are worked on, failed or were skipped.
         *
         * Items: One node that is worked on, failed or was skipped.
         */
        nodes: {
          /**
           * Name of the node.
           */
          name: string
          /**
           * Name of its group.
           */
          group: string
          /**
           * Where it is.
           */
          step:
            | 'Claimed'
            | 'Marking'
            | 'Cordoning'
            | 'Draining'
            | 'Stopping'
            | 'Changing'
            | 'Starting'
            | 'Verifying'
            | 'Uncordoning'
            | 'Restoring'
            | 'Failed'
            | 'Skipped'
          /**
           * When it came there (RFC 3339).
           */
          since: string
          /**
           * What it waits for, or why it failed.
           */
          waitingFor?: string
          /**
           * How long it may still take, milliseconds; absent: nothing is known.
           */
          estimateMs?: number
        }[]
        /**
         * When it will be done at the pace so far (RFC 3339).
         */
        eta?: string
        /**
         * The same from now, milliseconds.
         */
        etaMs?: number
        /**
         * Why it failed.
         */
        lastError?: string
        /**
         * Most workers of a group at a time, where it was asked for.
         */
        maxUnavailable?: unknown
        /**
         * Whether the only worker may be taken down.
         */
        allowLastWorker: boolean
        /**
         * It holds the cluster, or waits for it, until its settings are stored.
         */
        storingSettings?: boolean
        /**
         * It ends after the nodes that are being worked on.
         */
        cancelRequested: boolean
        /**
         * Who asked for that, or why its settings were not stored.
         */
        cancelReason?: string
        /**
         * Identity of who asked for it; absent: it was not asked for through this API.
         */
        requestedBy?: string
      }
      /**
       * What it does, waits for or refuses now, and why.
       *
       * Items: One decision, or one decision not to act, and why.
       */
      notes: {
        /**
         * Stable code.
         */
        reason: string
        /**
         * A sentence with the numbers in it.
         */
        message: string
        /**
         * `Warning`: something a person should look at. `Debug`: detail.
         */
        level: 'Info' | 'Warning' | 'Debug'
        /**
         * Name of the member it is about; absent: the pool itself.
         */
        about?: string
      }[]
    }
  }
  /**
   * End an operation after the nodes that are being worked on.
   */
  cancelOperation: {
    params: {
      /**
       * Name of the operation.
       */
      name: string
    }
    /**
     * One run over the nodes of a cluster.
     */
    answer: {
      /**
       * Name of the operation.
       */
      name: string
      /**
       * UID of the NodeOperation.
       */
      uid: string
      /**
       * Name of the cluster.
       */
      cluster: string
      /**
       * What it does.
       */
      type: 'Rollout' | 'Upgrade' | 'Scale' | 'Start' | 'Stop' | 'Destroy'
      /**
       * How nodes get new settings; absent: what the provider can do.
       */
      strategy?: 'Restart' | 'Replace'
      /**
       * How far it is.
       */
      phase: 'Pending' | 'Running' | 'Frozen' | 'Succeeded' | 'Failed' | 'Cancelled' | 'Superseded'
      /**
       * Nothing changes any more.
       */
      ended: boolean
      /**
       * State that the cluster has for it.
       */
      state?:
        | 'Created'
        | 'Running'
        | 'Alert'
        | 'Updating'
        | 'Upgrading'
        | 'Scaling'
        | 'Starting'
        | 'Stopping'
        | 'Stopped'
        | 'Recovering'
        | 'Error'
        | 'Destroying'
      /**
       * Stable code of what it does, waits for, or ended with.
       */
      reason?: string
      /**
       * What is going on, in a sentence.
       */
      message?: string
      /**
       * When it was asked for (RFC 3339).
       */
      createdAt?: string
      /**
       * When it took the cluster (RFC 3339).
       */
      startedAt?: string
      /**
       * When it ended (RFC 3339).
       */
      endedAt?: string
      /**
       * Nodes by where they are; absent before the operation has taken its cluster.
       */
      progress?: {
        /**
         * Nodes that the run is about.
         */
        total: number
        /**
         * Nodes that this run brought to the wanted settings.
         */
        done: number
        /**
         * Nodes that are still to be done.
         */
        outOfDate: number
        /**
         * Nodes that are worked on now.
         */
        inFlight: number
        /**
         * Nodes that failed.
         */
        failed: number
        /**
         * Nodes that were left out.
         */
        skipped: number
        /**
         * Batches that are over.
         */
        batches?: number
      }
      /**
       * Those that are worked on, failed or were skipped.
       *
       * Items: One node that is worked on, failed or was skipped.
       */
      nodes: {
        /**
         * Name of the node.
         */
        name: string
        /**
         * Name of its group.
         */
        group: string
        /**
         * Where it is.
         */
        step:
          | 'Claimed'
          | 'Marking'
          | 'Cordoning'
          | 'Draining'
          | 'Stopping'
          | 'Changing'
          | 'Starting'
          | 'Verifying'
          | 'Uncordoning'
          | 'Restoring'
          | 'Failed'
          | 'Skipped'
        /**
         * When it came there (RFC 3339).
         */
        since: string
        /**
         * What it waits for, or why it failed.
         */
        waitingFor?: string
        /**
         * How long it may still take, milliseconds; absent: nothing is known.
         */
        estimateMs?: number
      }[]
      /**
       * When it will be done at the pace so far (RFC 3339).
       */
      eta?: string
      /**
       * The same from now, milliseconds.
       */
      etaMs?: number
      /**
       * Why it failed.
       */
      lastError?: string
      /**
       * Most workers of a group at a time, where it was asked for.
       */
      maxUnavailable?: unknown
      /**
       * Whether the only worker may be taken down.
       */
      allowLastWorker: boolean
      /**
       * It holds the cluster, or waits for it, until its settings are stored.
       */
      storingSettings?: boolean
      /**
       * It ends after the nodes that are being worked on.
       */
      cancelRequested: boolean
      /**
       * Who asked for that, or why its settings were not stored.
       */
      cancelReason?: string
      /**
       * Identity of who asked for it; absent: it was not asked for through this API.
       */
      requestedBy?: string
    }
  }
  /**
   * Follow an operation.
   */
  watchOperation: {
    params: {
      /**
       * Name of the operation.
       */
      name: string
    }
  }
  /**
   * What this server is.
   */
  getStatus: {
    /**
     * What this server is and who the caller is to it.
     */
    answer: {
      /**
       * Version of this server.
       */
      version: string
      /**
       * Authentication.
       */
      auth: {
        /**
         * What is accepted, by type and policy.
         *
         * Items: One way to authenticate.
         */
        methods: {
          /**
           * `token`, `serviceAccount`, `oidc` or `ssh`.
           */
          type: string
          /**
           * Name of the AccessPolicy.
           */
          description?: string
        }[]
        /**
         * Empty for an anonymous caller.
         *
         * Items: The caller.
         */
        sessions: {
          /**
           * How the caller authenticated.
           */
          method: string
          /**
           * Who the caller is.
           */
          identity: string
          /**
           * Items: Pattern of pool names.
           */
          pools: string[]
        }[]
      }
      /**
       * Empty for an anonymous caller.
       *
       * Items: One pool the caller may use.
       */
      pools: {
        /**
         * Name.
         */
        name: string
        /**
         * Free members.
         */
        ready: number
        /**
         * Leased members.
         */
        leased: number
        /**
         * Members on their way.
         */
        creating: number
        /**
         * All three.
         */
        total: number
      }[]
      /**
       * What an administrator should look at; absent when there is nothing.
       *
       * Items: One note.
       */
      notes?: {
        /**
         * Stable code.
         */
        reason: string
        /**
         * A sentence.
         */
        message: string
      }[]
    }
  }
}
