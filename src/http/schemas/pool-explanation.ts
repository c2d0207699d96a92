/** Answer of `GET /v1/pools/:name/explain`. */
import { type Static, Type } from '@sinclair/typebox'
import { SPEC_SOURCES, type SpecSource } from '../../core/pool/spec-hash.ts'
import { NoteView } from './note.ts'

const text = (description: string) => Type.String({ description })
const source = (description: string) =>
  Type.Unsafe<SpecSource>({ type: 'string', enum: [...SPEC_SOURCES], description })

const ChangeView = Type.Object(
  {
    source: source('Source of the spec hash.'),
    path: text('Where in the source, such as `cluster.version`.'),
    before: Type.Optional(Type.Unknown({ description: 'What the member was made with.' })),
    after: Type.Optional(Type.Unknown({ description: 'What the pool says now.' })),
  },
  { description: 'One difference; without values where they may hold secrets.' },
)

const MemberExplanationView = Type.Object(
  {
    name: text('Name of the ClusterInstance.'),
    phase: text('Phase of the member.'),
    specHash: Type.Optional(text('Spec hash it was made with.')),
    state: Type.Unsafe<'current' | 'drifted' | 'unknown'>({
      type: 'string',
      enum: ['current', 'drifted', 'unknown'],
      description: 'Whether it was made from the present template.',
    }),
    changedSources: Type.Array(source('Source of the spec hash.'), {
      description: 'Sources that differ from the present template; empty when nobody can tell.',
    }),
    changes: Type.Array(ChangeView, {
      description: 'Changes of cluster, backend and resources since it was made.',
    }),
  },
  { description: 'One member.' },
)

export const PoolExplanation = Type.Object(
  {
    name: text('Name of the pool.'),
    specHash: Type.Optional(text('Spec hash of the present template; absent before the first observation.')),
    sources: Type.Optional(
      Type.Object(
        {
          version: Type.Integer({ description: 'Which algorithm made the digests.', minimum: 1 }),
          spec: text('Digest of what the pool says of the shape of a member.'),
          operator: text('Digest of the configuration of the operator that shapes members.'),
          bootstraps: text('Digest of the content of the BootstrapConfigs.'),
          workload: text('Digest of what the backend would make now.'),
        },
        { description: 'The sources of the spec hash.' },
      ),
    ),
    stalled: Type.Optional(
      Type.Object(
        { reason: text('Stable code.'), message: text('A sentence.') },
        { description: 'Why the pool cannot progress by itself; absent while it can.' },
      ),
    ),
    members: Type.Array(MemberExplanationView, { description: 'By number.' }),
    notes: Type.Array(NoteView, { description: 'What the planner has to say of the pool now.' }),
  },
  { description: 'What shapes the members of a pool, and which are outdated by what.' },
)
export type PoolExplanation = Static<typeof PoolExplanation>
