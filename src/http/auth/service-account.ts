/**
 * `auth.serviceAccount`: a token of a Kubernetes ServiceAccount, which the host API server confirms (TokenReview). The token must
 * be made for an audience of ours: one that is meant for the API server, or for somebody else, opens nothing here, and one that
 * was made for us opens nothing there.
 */
import { createHash } from 'node:crypto'
import { decodeJwt } from 'jose'
import type { AccessPolicy, ServiceAccountAuth } from '../../api/v1alpha1/access-policy.ts'
import type { KubeClient } from '../../kube/client.ts'
import type { Clock } from '../../kube/clock.ts'
import { bearerOf } from './bearer.ts'
import type { CredentialVerifier, Verified } from './credential-verifier.ts'
import { renderIdentity } from './identity.ts'

/** How long an answer is believed: a deleted ServiceAccount or pod is locked out after this. Milliseconds. */
const CACHE_MS = 10_000
/** Remembered answers; the oldest go first. */
const CACHE_ENTRIES = 1024
const REVIEWS = '/apis/authentication.k8s.io/v1/tokenreviews'

/** What the API server said of a token; undefined: it is none of its own. */
type Review = { readonly username: string; readonly uid: string; readonly audiences: readonly string[] } | undefined

interface Remembered {
  readonly review: Promise<Review>
  /** On the monotonic clock. */
  readonly until: number
}

export interface ServiceAccountDeps {
  readonly client: Pick<KubeClient, 'raw'>
  readonly clock: Pick<Clock, 'monotonic'>
}

export function createServiceAccountVerifier({ client, clock }: ServiceAccountDeps): CredentialVerifier {
  const remembered = new Map<string, Remembered>()
  const review = (token: string, audiences: readonly string[]): Promise<Review> => {
    const key = createHash('sha256')
      .update(JSON.stringify([token, audiences]))
      .digest('hex')
    const known = remembered.get(key)
    if (known !== undefined && clock.monotonic() < known.until) return known.review
    const asked = askForReview(client, token, audiences)
    remembered.delete(key)
    remembered.set(key, { review: asked, until: clock.monotonic() + CACHE_MS })
    // No answer is not an answer.
    asked.catch(() => remembered.delete(key))
    const [oldest] = remembered.keys()
    if (remembered.size > CACHE_ENTRIES && oldest !== undefined) remembered.delete(oldest)
    return asked
  }
  return {
    method: 'serviceAccount',
    async verify(authorization, policies) {
      const token = bearerOf(authorization) ?? ''
      const subject = claimedSubject(token)
      // What the token says of itself proves nothing; it spares the API server tokens that no policy could accept.
      const candidates = policies.flatMap(accountOf).filter(({ account }) => usernameOf(account) === subject)
      for (const { policy, account } of candidates) {
        const answer = await review(token, account.audience)
        if (isProof(answer, account)) return verified(policy, account, answer)
      }
      return undefined
    },
  }
}

function accountOf(policy: AccessPolicy): { policy: AccessPolicy; account: ServiceAccountAuth }[] {
  const account = policy.spec.auth.serviceAccount
  return account === undefined ? [] : [{ policy, account }]
}

/** The audiences are looked at once more: an API server that knows none of them would answer without any. */
const isProof = (review: Review, account: ServiceAccountAuth): review is NonNullable<Review> =>
  review?.username === usernameOf(account) && review.audiences.some((one) => account.audience.includes(one))

function verified(
  policy: AccessPolicy,
  { name, namespace }: ServiceAccountAuth,
  { username, uid }: NonNullable<Review>,
): Verified {
  const claims = { sub: username, namespace, name, uid }
  return { policy, claims, identity: renderIdentity(policy.spec.identity, claims) }
}

const usernameOf = ({ name, namespace }: ServiceAccountAuth): string => `system:serviceaccount:${namespace}:${name}`

/** Undefined: it is no JSON Web Token. */
function claimedSubject(token: string): string | undefined {
  if (token.split('.').length !== 3) return undefined
  try {
    return decodeJwt(token).sub
  } catch {
    return undefined
  }
}

async function askForReview(
  client: Pick<KubeClient, 'raw'>,
  token: string,
  audiences: readonly string[],
): Promise<Review> {
  const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', metadata: {}, spec: { token, audiences } }
  const { status } = (await client.raw('POST', REVIEWS, body)) as { status?: ReviewStatus }
  const { authenticated, user, audiences: matched = [] } = status ?? {}
  if (authenticated !== true || user?.username === undefined) return undefined
  return { username: user.username, uid: user.uid ?? '', audiences: matched }
}

interface ReviewStatus {
  readonly authenticated?: boolean
  readonly user?: { readonly username?: string; readonly uid?: string }
  readonly audiences?: readonly string[]
}
