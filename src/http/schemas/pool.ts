/** Answers of the pool and status routes: camelCase on the wire. Counters are always present and never null. */
import { type Static, Type } from '@sinclair/typebox'
import { POOL_PHASES } from '../../api/v1alpha1/phases.ts'

const text = (description: string) => Type.String({ description })
const count = (description: string) => Type.Integer({ description, minimum: 0 })

const PolicyView = Type.Object(
  {
    mode: Type.Unsafe<'fixed' | 'autoscaled'>({
      type: 'string',
      enum: ['fixed', 'autoscaled'],
      description: 'How the pool is sized.',
    }),
    ttl: text('TTL of a lease whose requester does not say.'),
    warmTarget: count('Members kept Ready.'),
    maxClusters: Type.Optional(count('Most members; autoscaled pools.')),
    scaleUpThreshold: Type.Optional(count('Ready count at which demand is made good in advance; autoscaled pools.')),
    scaleDownAfter: Type.Optional(text('How long a surplus member stays idle; autoscaled pools.')),
    queueTimeout: Type.Optional(text('How long a lease may wait in the queue.')),
  },
  { description: 'What was configured.' },
)

const StalledView = Type.Object(
  { reason: text('Stable code.'), message: text('What a person has to change, in a sentence.') },
  { description: 'Why the pool cannot progress by itself; absent while it can.' },
)

export const PoolView = Type.Object(
  {
    name: text('Name of the pool.'),
    phase: Type.Optional(
      Type.Unsafe<string>({
        type: 'string',
        enum: [...POOL_PHASES],
        description: 'Summary; absent before the first observation.',
      }),
    ),
    ready: count('Members that are warm and free.'),
    leased: count('Members that are bound to a lease.'),
    creating: count('Members on their way to Ready.'),
    recycling: count('Members that are being destroyed.'),
    unhealthy: count('Members that failed.'),
    quarantined: count('Members whose cleanup could not be proven.'),
    queueDepth: count('Leases that wait.'),
    stalled: Type.Optional(StalledView),
    policy: PolicyView,
  },
  { description: 'One pool.' },
)
export type PoolView = Static<typeof PoolView>

export const StatusView = Type.Object(
  {
    version: text('Version of this server.'),
    auth: Type.Object(
      {
        methods: Type.Array(
          Type.Object(
            {
              type: text('`token`, `serviceAccount`, `oidc` or `ssh`.'),
              description: Type.Optional(text('Name of the AccessPolicy.')),
            },
            { description: 'One way to authenticate.' },
          ),
          { description: 'What is accepted, by type and policy.' },
        ),
        sessions: Type.Array(
          Type.Object(
            {
              method: text('How the caller authenticated.'),
              identity: text('Who the caller is.'),
              pools: Type.Array(text('Pattern of pool names.')),
            },
            { description: 'The caller.' },
          ),
          { description: 'Empty for an anonymous caller.' },
        ),
      },
      { description: 'Authentication.' },
    ),
    pools: Type.Array(
      Type.Object(
        {
          name: text('Name.'),
          ready: count('Free members.'),
          leased: count('Leased members.'),
          creating: count('Members on their way.'),
          total: count('All three.'),
        },
        { description: 'One pool the caller may use.' },
      ),
      { description: 'Empty for an anonymous caller.' },
    ),
    notes: Type.Optional(
      Type.Array(
        Type.Object({ reason: text('Stable code.'), message: text('A sentence.') }, { description: 'One note.' }),
        {
          description: 'What an administrator should look at; absent when there is nothing.',
        },
      ),
    ),
  },
  { description: 'What this server is and who the caller is to it.' },
)
export type StatusView = Static<typeof StatusView>
