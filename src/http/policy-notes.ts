/** Says in the log, once, which AccessPolicies nobody can use. `/v1/status` has the same notes. */
import type { HttpContext } from './context.ts'

export function reportPolicyNotes({ authenticator, deps }: HttpContext): () => void {
  const reported = new Set<string>()
  const report = (): void => {
    const messages = new Set(authenticator.notes().map((note) => note.message))
    for (const message of messages) if (!reported.has(message)) deps.log.warn({ kind: 'AccessPolicy' }, message)
    reported.clear()
    for (const message of messages) reported.add(message)
  }
  report()
  return deps.caches.policies.on(report)
}
