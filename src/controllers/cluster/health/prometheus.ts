/** One number out of Prometheus, compared. Everything but one number is unhealthy: a gap in the data is no good news. */
import type { Comparison } from '../../../api/v1alpha1/health-check.ts'
import { type Answer, ask, shownUrl } from './ask.ts'
import type { Try } from './check.ts'

const HOLDS: Readonly<Record<Comparison, (number: number, wanted: number) => boolean>> = {
  Below: (number, wanted) => number < wanted,
  AtMost: (number, wanted) => number <= wanted,
  AtLeast: (number, wanted) => number >= wanted,
  Above: (number, wanted) => number > wanted,
}

export const prometheus: Try = async ({ prometheus: block }, { cluster }, attempt) => {
  if (block === undefined) return 'it has no block prometheus'
  const path = `${shownUrl(block.url).replace(/\/+$/, '')}/api/v1/query`
  const answer = await ask(`${path}?query=${encodeURIComponent(block.query)}`, block, cluster, attempt)
  const found = numberIn(answer)
  if ('wrong' in found) return `${path}: ${found.wrong}`
  const { number } = found
  return HOLDS[block.is](number, block.value)
    ? undefined
    : `the query gives ${number}, it should be ${block.is} ${block.value}`
}

type Found = { readonly number: number } | { readonly wrong: string }

function numberIn({ status, text }: Answer): Found {
  const body = parsed(text)
  if (status !== 200) return { wrong: `answers ${status}${saidIn(body)}` }
  if (body === undefined || body.status !== 'success') return { wrong: `no result of a query${saidIn(body)}` }
  return sampleIn(body.data)
}

interface Body {
  readonly status?: unknown
  readonly error?: unknown
  readonly data?: { readonly resultType?: unknown; readonly result?: unknown }
}

function parsed(text: string): Body | undefined {
  try {
    const body: unknown = JSON.parse(text)
    return typeof body === 'object' && body !== null ? body : undefined
  } catch {
    return undefined
  }
}

const saidIn = (body: Body | undefined): string =>
  typeof body?.error === 'string' ? `: ${body.error.slice(0, 200)}` : ''

function sampleIn(data: Body['data']): Found {
  const result = data?.result
  if (!Array.isArray(result)) return { wrong: 'no result of a query' }
  switch (data?.resultType) {
    case 'scalar':
      return numberOf(result)
    case 'vector':
      if (result.length === 0) return { wrong: 'the query gives no data' }
      if (result.length > 1) return { wrong: `the query gives ${result.length} series, not one number` }
      return numberOf((result[0] as { value?: unknown } | null)?.value)
    default:
      return { wrong: `the query gives a ${String(data?.resultType)}, not one number` }
  }
}

const INFINITE: Readonly<Record<string, number>> = {
  '+Inf': Number.POSITIVE_INFINITY,
  '-Inf': Number.NEGATIVE_INFINITY,
}

/** A sample is a moment and a text. */
function numberOf(sample: unknown): Found {
  const text: unknown = Array.isArray(sample) ? sample[1] : undefined
  if (typeof text !== 'string' || text === '') return { wrong: 'no result of a query' }
  const number = INFINITE[text] ?? Number(text)
  return Number.isNaN(number) ? { wrong: `the query gives ${text}, which is no number` } : { number }
}
