/** What is known of a bearer token. */
import type { UserInfo } from '../auth/user.ts'

/** Who issues tokens of ServiceAccounts, and the audience of this server itself. */
export const ISSUER = 'https://kubernetes.default.svc.cluster.local'

/** Whose token it is, and for whom it was issued; or why it is not taken. */
export type TokenVerdict =
  | { readonly user: UserInfo; readonly audiences: readonly string[] }
  | { readonly user?: undefined; readonly error: string }

export const NOT_A_TOKEN: TokenVerdict = { error: 'invalid bearer token' }
