/**
 * Authenticates requests against the AccessPolicies in the cache. Deny by default: no policy, no verifier for its method, no
 * matching rule, all mean 401. Order: verifiers in the given order, policies by name, rules as written; the first hit wins.
 */
import type { AccessPolicy } from '../../api/v1alpha1/access-policy.ts'
import { ApiError } from '../errors.ts'
import type { AuthMethod, CredentialVerifier } from './credential-verifier.ts'
import { type Principal, requesterType, ruleFor } from './principal.ts'

export interface PolicyNote {
  readonly reason: 'AuthMethodUnsupported'
  readonly message: string
}

export interface AuthMethodView {
  readonly type: AuthMethod
  readonly policyName: string
}

export interface Authenticator {
  /** Throws `ApiError` `unauthorized`. */
  authenticate(authorization: string | undefined): Promise<{ principal: Principal; method: AuthMethod }>
  /** The policies whose method works here, by type and name. */
  methods(): AuthMethodView[]
  /** Policies that nobody can use, and why. */
  notes(): PolicyNote[]
}

export interface AuthenticatorDeps {
  readonly verifiers: readonly CredentialVerifier[]
  policies(): readonly AccessPolicy[]
  onSuccess(provider: string, method: AuthMethod): void
  onFailure(reason: 'no_credential' | 'no_matching_policy' | 'no_matching_rule'): void
}

export function createAuthenticator(deps: AuthenticatorDeps): Authenticator {
  const sorted = (): AccessPolicy[] => [...deps.policies()].sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))
  const supported = new Set(deps.verifiers.map((verifier) => verifier.method))
  return {
    async authenticate(authorization) {
      if (authorization === undefined) return deny(deps, 'no_credential')
      for (const verifier of deps.verifiers) {
        const candidates = sorted().filter((policy) => policy.spec.auth[verifier.method] !== undefined)
        const verified = await verifier.verify(authorization, candidates)
        if (verified === undefined) continue
        const rule = ruleFor(verified.policy, verified.claims)
        if (rule === undefined) return deny(deps, 'no_matching_rule')
        const policyName = nameOf(verified.policy)
        deps.onSuccess(policyName, verifier.method)
        const type = requesterType(policyName, rule)
        return { principal: { identity: verified.identity, type, policyName, rule }, method: verifier.method }
      }
      return deny(deps, 'no_matching_policy')
    },
    methods: () =>
      sorted()
        .flatMap((policy) => methodsOf(policy).map((type) => ({ type, policyName: nameOf(policy) })))
        .filter(({ type }) => supported.has(type))
        .sort((a, b) => (a.type === b.type ? 0 : a.type < b.type ? -1 : 1)),
    notes: () =>
      sorted()
        .filter((policy) => !methodsOf(policy).some((method) => supported.has(method)))
        .map((policy) => ({ reason: 'AuthMethodUnsupported', message: unsupportedMessage(policy, supported) })),
  }
}

function deny(deps: AuthenticatorDeps, reason: 'no_credential' | 'no_matching_policy' | 'no_matching_rule'): never {
  deps.onFailure(reason)
  const detail =
    reason === 'no_credential'
      ? 'Send `Authorization: Bearer <token>`.'
      : 'No AccessPolicy accepts this credential. Ask for a token, or for a rule that covers you.'
  throw new ApiError('unauthorized', { detail, field: 'authorization' })
}

function methodsOf(policy: AccessPolicy): AuthMethod[] {
  const { auth } = policy.spec
  const all: readonly AuthMethod[] = ['oidc', 'serviceAccount', 'ssh', 'token']
  return all.filter((method) => auth[method] !== undefined)
}

function unsupportedMessage(policy: AccessPolicy, supported: ReadonlySet<AuthMethod>): string {
  const wanted = methodsOf(policy).join(', ') || 'no method'
  return `AccessPolicy ${nameOf(policy)} uses ${wanted}, this operator knows ${[...supported].join(', ')}: nobody can authenticate through it`
}

function nameOf(policy: AccessPolicy): string {
  return policy.metadata.name ?? ''
}
