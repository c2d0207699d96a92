/** `auth.token`: one secret string in a Secret. Read from the cache on each request, so a change counts at once. */
import { createHash, timingSafeEqual } from 'node:crypto'
import type { Secret } from '../../api/core-resources.ts'
import type { AccessPolicy } from '../../api/v1alpha1/access-policy.ts'
import { POLICY_TOKEN_KEY } from '../../api/v1alpha1/labels.ts'
import { bearerOf } from './bearer.ts'
import type { CredentialVerifier } from './credential-verifier.ts'
import { renderIdentity } from './identity.ts'

export type SecretReader = (name: string) => Secret | undefined

/** `{sub}` of whoever holds the token is the name of the policy. */
export function createStaticTokenVerifier(readSecret: SecretReader): CredentialVerifier {
  return {
    method: 'token',
    async verify(authorization, policies) {
      const presented = bearerOf(authorization)
      if (presented === undefined) return undefined
      // Every policy is compared, whether or not an earlier one matched: the time taken tells nothing.
      const matching = policies.filter((policy) => equals(presented, tokenOf(policy, readSecret)))
      const [policy] = matching
      if (policy === undefined) return undefined
      const claims = { sub: policy.metadata.name ?? '' }
      return { policy, claims, identity: renderIdentity(policy.spec.identity, claims) }
    },
  }
}

function tokenOf(policy: AccessPolicy, readSecret: SecretReader): string | undefined {
  const secretRef = policy.spec.auth.token?.secretRef
  const encoded = secretRef === undefined ? undefined : readSecret(secretRef)?.data?.[POLICY_TOKEN_KEY]
  // A line end is what `echo secret | base64` adds; no token has one.
  return encoded === undefined
    ? undefined
    : Buffer.from(encoded, 'base64')
        .toString('utf8')
        .replace(/\r?\n$/, '')
}

function equals(presented: string, expected: string | undefined): boolean {
  const same = timingSafeEqual(sha256(presented), sha256(expected ?? ''))
  return same && expected !== undefined && expected !== ''
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
