import { shownUrl } from '../fetch/fetch-public.ts'
import { DONE, failed, waiting } from '../step-result.ts'
import type { Gate } from './gate.ts'

/** Passes when a GET from the operator is answered 2xx. The URL is held to the same rules as that of an addon. */
export const urlHealthy: Gate = async ({ fetch }, { url = '' }) => {
  const shown = shownUrl(url)
  const result = await fetch(url, { read: 'head' })
  if (result.state === 'refused') return failed(`${shown} is refused: ${result.reason}`)
  if (result.state === 'unreachable') return waiting(`${shown} does not answer: ${result.reason}`)
  return result.status >= 200 && result.status < 300 ? DONE : waiting(`${shown} answers ${result.status}, not 2xx`)
}
