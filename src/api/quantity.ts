/** Whole numbers or percentages, and quantities. */

const PERCENT = /^(\d+)%$/

/** A percentage of `total` is rounded as told. What is neither a number nor a percentage counts as 0. */
export function resolveIntOrPercent(value: number | string, total: number, round: 'up' | 'down'): number {
  if (typeof value === 'number') return value
  const percent = PERCENT.exec(value)?.[1]
  if (percent === undefined) return /^\d+$/.test(value) ? Number(value) : 0
  const exact = (Number(percent) * total) / 100
  return round === 'up' ? Math.ceil(exact) : Math.floor(exact)
}

const QUANTITY = /^([0-9.]+)(?:([KMGTPE])i|([numkMGTPE]))?$/
const SUFFIXES = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E']

/** A quantity such as `500m` or `2Gi` as a number; 0 for what is none. Exact enough to compare sums of requests. */
export function quantityOf(text: string | undefined): number {
  const match = QUANTITY.exec(text ?? '')
  if (match === null) return Number(text ?? 0) || 0
  const [, digits = '0', binary, decimal = ''] = match
  if (binary !== undefined) return Number(digits) * 1024 ** ('KMGTPE'.indexOf(binary) + 1)
  const power = SUFFIXES.indexOf(decimal) - 3
  return power < 0 ? Number(digits) / 1000 ** -power : Number(digits) * 1000 ** power
}
