/** What the API server says of itself: every one of its own checks has to pass. */
import type { Try } from './check.ts'

export const controlPlane: Try = async (_, { session }) => {
  if (session === undefined) return 'the API of the cluster cannot be reached'
  await session.client.raw('GET', '/readyz?verbose')
  return undefined
}
