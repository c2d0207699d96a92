/** Who asks. */
export interface UserInfo {
  readonly name: string
  readonly groups: readonly string[]
}

export const ANONYMOUS: UserInfo = { name: 'system:anonymous', groups: ['system:unauthenticated'] }
/** Every authenticated user is in it. */
export const AUTHENTICATED_GROUP = 'system:authenticated'
/** Its members may do everything. */
export const MASTERS_GROUP = 'system:masters'
