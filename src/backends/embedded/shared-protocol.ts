/**
 * How the launcher talks to the process that hosts members with isolation `shared`: HTTP with JSON over a socket that only
 * this user can open. All three requests may be repeated.
 *
 * | request | body | answer |
 * |---|---|---|
 * | `POST /start` | MemberRequest | 200 when it answers; 422 with `failure.json` written; 503 while the process ends |
 * | `POST /stop` | MemberRequest | 200 when nothing of that launch is left |
 * | `GET /members` | | 200, HostedMembers |
 */
export interface MemberRequest {
  /** The member's folder. */
  readonly folder: string
  /** Launch id. */
  readonly launch: string
}

export interface HostedMembers {
  readonly members: readonly { readonly folder: string; readonly launch: string; readonly port: number }[]
}

export function parseMemberRequest(text: string): MemberRequest {
  const value: unknown = JSON.parse(text)
  const isRequest =
    typeof value === 'object' &&
    value !== null &&
    'folder' in value &&
    'launch' in value &&
    typeof value.folder === 'string' &&
    typeof value.launch === 'string'
  if (!isRequest) throw new TypeError('a request names a folder and a launch')
  return { folder: String(value.folder), launch: String(value.launch) }
}
