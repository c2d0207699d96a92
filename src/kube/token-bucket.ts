/** Spreads what would come at once: answers how long the next one has to wait, milliseconds. */
export function createTokenBucket(perSecond: number, burst: number, now: () => number): () => number {
  let tokens = burst
  let at = now()
  return () => {
    const time = now()
    tokens = Math.min(burst, tokens + ((time - at) / 1000) * perSecond) - 1
    at = time
    return tokens >= 0 ? 0 : (-tokens / perSecond) * 1000
  }
}
