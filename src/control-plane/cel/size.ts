/** How large a value may be, and what going through it costs at most. Nothing overflows: what is beyond `UNBOUNDED` is that. */

export interface Size {
  readonly min: number
  readonly max: number
}

/** As the real server's largest number: a cost of this stands for every higher one. */
export const UNBOUNDED = 2 ** 64

export const UNKNOWN_SIZE: Size = { min: 0, max: UNBOUNDED }

export const fixedSize = (size: number): Size => ({ min: size, max: size })

const bounded = (value: number): number => Math.min(UNBOUNDED, value)

export const plus = (...costs: readonly number[]): number => bounded(costs.reduce((sum, cost) => sum + cost, 0))

export const product = (left: number, right: number): number => bounded(left * right)

/** Rounded up. */
export const scaled = (amount: number, factor: number): number => bounded(Math.ceil(amount * factor))

export const addSizes = (left: Size, right: Size): Size => ({
  min: plus(left.min, right.min),
  max: plus(left.max, right.max),
})

export const multiplySizes = (left: Size, right: Size): Size => ({
  min: product(left.min, right.min),
  max: product(left.max, right.max),
})

/** Covers both. */
export const uniteSizes = (left: Size, right: Size): Size => ({
  min: Math.min(left.min, right.min),
  max: Math.max(left.max, right.max),
})
