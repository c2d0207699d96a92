/** A URL that has to answer with a certain status. */
import { ask, shownUrl } from './ask.ts'
import type { Try } from './check.ts'

export const http: Try = async ({ http: block }, { cluster }, attempt) => {
  if (block === undefined) return 'it has no block http'
  const { status } = await ask(block.url, block, cluster, attempt)
  return status === block.status ? undefined : `${shownUrl(block.url)} answers ${status}, not ${block.status}`
}
