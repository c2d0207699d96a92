/** One way to prove an identity. A further method is one more file that implements this. */
import type { AccessPolicy, AccessPolicySpec } from '../../api/v1alpha1/access-policy.ts'

export type AuthMethod = keyof AccessPolicySpec['auth']

export interface Verified {
  readonly policy: AccessPolicy
  readonly identity: string
  /** What the rules of the policy match on. */
  readonly claims: Readonly<Record<string, unknown>>
}

export interface CredentialVerifier {
  readonly method: AuthMethod
  /**
   * The policy and identity that the `Authorization` header proves, or `undefined`. `policies` is sorted by name and holds
   * only policies that use this method.
   */
  verify(authorization: string, policies: readonly AccessPolicy[]): Promise<Verified | undefined>
}
