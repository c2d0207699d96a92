import { canonicalJson } from './fleet/canonical-json.ts'

/** Whether two statuses say the same, so that nothing has to be written. Key order and undefined members do not count. */
export function sameStatus(left: unknown, right: unknown): boolean {
  return canonicalJson(left ?? {}) === canonicalJson(right ?? {})
}
