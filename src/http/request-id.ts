/** `x-request-id`: the caller's, when it is one line of harmless characters, else a new one. It ends up in logs. */
import type { RandomIds } from './deps.ts'

const HARMLESS = /^[A-Za-z0-9._:-]{1,128}$/

export function requestIdOf(header: string | string[] | undefined, random: Pick<RandomIds, 'uuid'>): string {
  const given = Array.isArray(header) ? header[0] : header
  return given !== undefined && HARMLESS.test(given) ? given : random.uuid()
}
