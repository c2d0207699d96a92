/** Who asks. */
export interface UserInfo {
  readonly name: string
  readonly groups: readonly string[]
  /** Of a ServiceAccount: its UID. */
  readonly uid?: string
  /** What else the authenticator knows, such as the pod that a token is bound to. */
  readonly extra?: Readonly<Record<string, readonly string[]>>
}

/** Every authenticated user is in it. */
export const AUTHENTICATED_GROUP = 'system:authenticated'
/** Who sent no credentials is in it. */
export const UNAUTHENTICATED_GROUP = 'system:unauthenticated'
/** Its members may do everything. */
export const MASTERS_GROUP = 'system:masters'

export const ANONYMOUS: UserInfo = { name: 'system:anonymous', groups: [UNAUTHENTICATED_GROUP] }

/** How an answer of the API shows a user. */
export function describeUser({ name, uid, groups, extra }: UserInfo): Record<string, unknown> {
  return {
    username: name,
    ...(uid === undefined || uid === '' ? {} : { uid }),
    ...(groups.length === 0 ? {} : { groups }),
    ...(extra === undefined || Object.keys(extra).length === 0 ? {} : { extra }),
  }
}

const SERVICE_ACCOUNT_PREFIX = 'system:serviceaccount:'

export function serviceAccountUser(namespace: string, name: string): string {
  return `${SERVICE_ACCOUNT_PREFIX}${namespace}:${name}`
}

/** The groups of every ServiceAccount of a namespace. */
export function serviceAccountGroups(namespace: string): string[] {
  return ['system:serviceaccounts', `system:serviceaccounts:${namespace}`]
}

/** Namespace and name, when the user name is that of a ServiceAccount. */
export function parseServiceAccountUser(user: string): { namespace: string; name: string } | undefined {
  const match = /^system:serviceaccount:([a-z0-9]([-a-z0-9]*[a-z0-9])?):([a-z0-9]([-a-z0-9.]*[a-z0-9])?)$/.exec(user)
  const [, namespace, , name] = match ?? []
  return namespace === undefined || name === undefined ? undefined : { namespace, name }
}
