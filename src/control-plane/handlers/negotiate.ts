/** Which of the acceptable forms an answer takes: plain objects, a Table, or metadata only. */
import { notAcceptable } from '../errors.ts'

export interface MediaChoice {
  readonly form: 'object' | 'table' | 'metadata'
  /** Version of `meta.k8s.io` that a Table or metadata answer is written in. */
  readonly version: 'v1' | 'v1beta1'
  readonly encoding: 'json' | 'yaml'
  /** Of a metadata answer: whether that of one object or of a list was asked for. A watch is answered to either. */
  readonly of?: 'object' | 'list'
}

const PLAIN: MediaChoice = { form: 'object', version: 'v1', encoding: 'json' }

interface Clause {
  readonly type: string
  readonly quality: number
  readonly params: ReadonlyMap<string, string>
}

/** @throws ApiError 406 when no clause can be met */
export function negotiate(accept: string | undefined, offersTransforms: boolean): MediaChoice {
  if (accept === undefined || accept === 'application/json' || accept.trim() === '') return PLAIN
  for (const clause of parseAccept(accept)) {
    const choice = chooseBy(clause, offersTransforms)
    if (choice !== undefined) return choice
  }
  throw notAcceptable(['application/json', 'application/yaml'])
}

function parseAccept(accept: string): Clause[] {
  const clauses = accept.split(',').map((text) => {
    const [type = '', ...params] = text.split(';').map((part) => part.trim())
    const pairs = params.map((part) => {
      const [name = '', value = ''] = part.split('=')
      return [name.trim().toLowerCase(), value.trim()] as const
    })
    const map = new Map(pairs)
    return { type: type.toLowerCase(), quality: Number(map.get('q') ?? '1'), params: map }
  })
  // Array sorting is stable: equal qualities keep the client's order.
  return clauses.sort((a, b) => b.quality - a.quality)
}

function chooseBy({ type, params }: Clause, offersTransforms: boolean): MediaChoice | undefined {
  const encoding = encodingOf(type)
  if (encoding === undefined) return undefined
  const as = params.get('as')
  if (as === undefined) return { ...PLAIN, encoding }
  const version = params.get('v')
  if (!offersTransforms || params.get('g') !== 'meta.k8s.io' || (version !== 'v1' && version !== 'v1beta1'))
    return undefined
  if (as === 'Table') return { form: 'table', version, encoding }
  if (as === 'PartialObjectMetadata') return { form: 'metadata', version, encoding, of: 'object' }
  if (as === 'PartialObjectMetadataList') return { form: 'metadata', version, encoding, of: 'list' }
  return undefined
}

function encodingOf(type: string): MediaChoice['encoding'] | undefined {
  if (type === 'application/json' || type === '*/*' || type === 'application/*') return 'json'
  return type === 'application/yaml' ? 'yaml' : undefined
}
