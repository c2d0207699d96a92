/** Waits for a moment of `performance.now()`: what is begun at its time, whatever came before, hides no delay. */
export const until = (moment: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, Math.max(0, moment - performance.now())))
