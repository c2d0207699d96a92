/** AccessPolicy: who may lease from which pools, how long and how many at a time, and who may change the nodes of standing clusters. Without one, nobody may. */
import type { Static } from '@sinclair/typebox'
import { choice, count, defaulted, duration, type Input, list, name, object, optional, text } from '../field.ts'
import { kindSchema, type ObjectWithoutStatus } from '../kind.ts'
import type { KubeObject } from '../resource.ts'

export const JWT_ALGORITHMS = ['RS256', 'RS384', 'RS512', 'ES256', 'ES384', 'PS256', 'PS384', 'PS512', 'EdDSA'] as const

const OidcSchema = object('JSON Web Tokens of an OpenID Connect issuer. Needs `audience` or `authorizedParties`.', {
  issuer: name('Issuer URL; must equal the `iss` claim.'),
  jwksUrl: optional(name('Where its keys are; `<issuer>/.well-known/jwks.json` when left out.')),
  audience: defaulted(list('Accepted values of the `aud` claim.', text('One audience.')), []),
  authorizedParties: defaulted(list('Accepted values of the `azp` claim.', text('One party.')), []),
  algorithms: defaulted(list('Accepted signature algorithms.', choice(JWT_ALGORITHMS, 'One algorithm.')), ['RS256']),
  clientId: optional(name('Client ID with which the command line logs in.')),
})

const TokenSchema = object('One static token.', {
  secretRef: name('Name of the Secret that holds it under the key `token`.'),
})

const SshSchema = object('Requests signed with an SSH key. Ed25519 only.', {
  authorizedKeys: list('Accepted public keys.', text('One key as a line of `authorized_keys`.')),
  revokedKeys: defaulted(list('Public keys that are refused even if they are accepted above.', text('One key.')), []),
})

const ServiceAccountSchema = object('Tokens of one Kubernetes ServiceAccount.', {
  name: name('Name of the ServiceAccount.'),
  namespace: name('Namespace of the ServiceAccount.'),
  audience: defaulted(
    list('Accepted audiences of the token, as in `kubectl create token --audience kobe`.', text('One audience.'), {
      minItems: 1,
    }),
    ['kobe'],
  ),
})

const AuthSchema = object(
  'How a requester proves who it is.',
  {
    oidc: optional(OidcSchema),
    token: optional(TokenSchema),
    ssh: optional(SshSchema),
    serviceAccount: optional(ServiceAccountSchema),
  },
  { minProperties: 1 },
)

export const SANDBOX_VERBS = ['lease', 'exec', 'logs', 'port-forward', 'release'] as const

const SandboxSchema = object('What is granted on sandbox pools.', {
  pools: list('Patterns of pool names.', name('`*`, `prefix*` or a name.'), { minItems: 1 }),
  verbs: list('What may be done.', choice(SANDBOX_VERBS, 'One verb.'), { minItems: 1 }),
  maxTtl: duration('Longest life of a sandbox lease.'),
  maxConcurrentLeases: count('Most active sandbox leases of one requester.'),
  resourceCeiling: object('Most resources of one sandbox.', {
    maxCpu: name('Most CPU, such as `2`.'),
    maxMemory: name('Most memory, such as `4Gi`.'),
  }),
})

export const CLUSTER_VERBS = ['view', 'create', 'set', 'rollout', 'power', 'destroy'] as const
export type ClusterVerb = (typeof CLUSTER_VERBS)[number]

const ClusterGrantSchema = object('What is granted on standing clusters.', {
  names: list('Patterns of names of ManagedClusters.', name('`*`, `prefix*` or a name.'), { minItems: 1 }),
  verbs: list(
    'What may be done. `view`: see the cluster, its nodes and operations, and plan a rollout; without it the cluster is not there. `create`: describe a new one. `set`: store settings. `rollout`: restart nodes. `power`: start and stop all of it. `destroy`: destroy it.',
    choice(CLUSTER_VERBS, 'One verb.'),
    { minItems: 1 },
  ),
})

const MatchSchema = object('Which requesters the rule is for.', {
  claim: name('Name of a claim of the token.'),
  value: text('Value the claim must have.'),
})

const RuleSchema = object('What is granted to the requesters it matches.', {
  match: optional(MatchSchema),
  pools: list('Patterns of pool names.', name('`*`, `prefix*` or a name.')),
  maxTtl: duration('Longest life of a lease, extensions included.'),
  maxConcurrentLeases: count('Most active leases of one requester.'),
  maxExtensions: defaulted(count('How many times a lease may be extended.'), 2),
  sandbox: optional(SandboxSchema),
  clusters: optional(
    list(
      'What is granted on standing clusters; nothing when left out. What several entries grant adds up.',
      ClusterGrantSchema,
    ),
  ),
})

export const AccessPolicySpecSchema = object('The policy.', {
  auth: AuthSchema,
  identity: defaulted(
    name(
      'Template of the identity of a requester: `{claim}` is replaced. A static token has `{sub}`, the name of the policy; a ServiceAccount has `{sub}`, `{namespace}`, `{name}` and `{uid}`; SSH has `{fingerprint}` and `{comment}`.',
    ),
    '{sub}',
  ),
  rules: list('The first rule that matches the requester counts; one without `match` matches everybody.', RuleSchema),
})

export const AccessPolicySchema = kindSchema(
  'Who may lease from which pools, for how long, and how many at a time.',
  AccessPolicySpecSchema,
)

export type AccessPolicySpec = Static<typeof AccessPolicySpecSchema>
export type AccessRule = Static<typeof RuleSchema>
export type OidcAuth = Static<typeof OidcSchema>
export type ServiceAccountAuth = Static<typeof ServiceAccountSchema>
export interface AccessPolicy extends ObjectWithoutStatus<typeof AccessPolicySpecSchema> {}

/** What an author writes: fields with a default may be left out. */
export interface AccessPolicyInput extends KubeObject {
  spec: Input<typeof AccessPolicySpecSchema>
}
