/** Secrets that hold a token of a ServiceAccount. */
import type { Entry } from '../store/entry.ts'

const TYPE = 'kubernetes.io/service-account-token'

/** Most secrets are others: none of them is parsed for this. */
export function isTokenSecret(entry: Entry): boolean {
  return entry.text.includes(TYPE) && entry.object['type'] === TYPE
}
