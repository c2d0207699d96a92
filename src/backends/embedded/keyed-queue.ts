/** Runs the tasks of one key one after another, and those of different keys side by side. */
export interface KeyedQueue {
  run<T>(key: string, task: () => Promise<T>): Promise<T>
  isBusy(): boolean
  /** Resolves when no task is left, whatever became of them. */
  idle(): Promise<void>
}

export function createKeyedQueue(): KeyedQueue {
  const last = new Map<string, Promise<unknown>>()
  return {
    run<T>(key: string, task: () => Promise<T>): Promise<T> {
      const previous = last.get(key) ?? Promise.resolve()
      const result = previous.then(task, task)
      last.set(key, result)
      const forget = () => {
        if (last.get(key) === result) last.delete(key)
      }
      result.then(forget, forget)
      return result
    },
    isBusy: () => last.size > 0,
    async idle() {
      while (last.size > 0) await Promise.allSettled(last.values())
    },
  }
}
