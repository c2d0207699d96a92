/** The `continue` parameter of a paged list: where to go on, and in which state of the store. */

export interface ContinueToken {
  /** -1: go on in the present state, accepting that it differs from the first page's. */
  readonly revision: number
  readonly lastKey: string
}

export function encodeContinue({ revision, lastKey }: ContinueToken): string {
  return Buffer.from(JSON.stringify({ v: 'meta.k8s.io/v1', rv: revision, start: lastKey })).toString('base64url')
}

/** Answers undefined for a text that is no token. */
export function decodeContinue(text: string): ContinueToken | undefined {
  let value: unknown
  try {
    value = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'))
  } catch {
    return undefined
  }
  if (typeof value !== 'object' || value === null) return undefined
  const { rv, start } = value as { rv?: unknown; start?: unknown }
  if (typeof rv !== 'number' || !Number.isInteger(rv) || typeof start !== 'string') return undefined
  return { revision: rv, lastKey: start }
}
