/** What a series of measurements is summed up as. */
export interface Summary {
  readonly n: number
  readonly min: number
  readonly p50: number
  readonly p99: number
  readonly max: number
}

export function summarize(values: readonly number[]): Summary {
  const sorted = [...values].sort((a, b) => a - b)
  const at = (share: number) =>
    round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN)
  return { n: sorted.length, min: at(0), p50: at(0.5), p99: at(0.99), max: at(1) }
}

const round = (value: number): number => Math.round(value * 10) / 10
