/** `maxUnavailable` of a request: a whole number of at least 1, or a percentage from 1 % to 100 %. */
import { ApiError } from '../errors.ts'

const AMOUNT = /^([1-9][0-9]{0,4}|([1-9][0-9]?|100)%)$/

/** A number in text is one all the same. @throws ApiError `invalid_request` */
export function amountOf(value: number | string | undefined): number | string | undefined {
  if (value === undefined) return undefined
  const text = String(value)
  if (AMOUNT.test(text)) return text.endsWith('%') ? text : Number(text)
  throw new ApiError('invalid_request', {
    detail: `maxUnavailable '${text.slice(0, 20)}' is neither a whole number of at least 1 nor a percentage such as '10%'`,
    field: 'maxUnavailable',
  })
}
