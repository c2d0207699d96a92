/** Explores worlds in worker threads, one world at a time in each; reports in the order of the worlds. */
import { Worker } from 'node:worker_threads'
import type { Exploration } from './engine/model.ts'
import type { PlantedDefect } from './mutants/planted-defect.ts'

export interface Job {
  readonly world: string
  readonly maxStates: number
  readonly defect?: PlantedDefect
}

export interface Answer {
  readonly world: string
  readonly exploration: Exploration
}

/** A worker explores one world after the other, or, with a defect planted in it, until one of them shows it. */
export const exploreIn = (jobs: readonly Job[]): Promise<Answer[]> =>
  workerAnswer(new URL('./worker.ts', import.meta.url), jobs)

/** Starts a worker with that data, and answers the one message that it sends. */
export function workerAnswer<T>(script: URL, workerData: unknown): Promise<T> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(script, { workerData, resourceLimits: { maxOldGenerationSizeMb: 2_800 } })
    worker.once('message', resolve)
    worker.once('error', reject)
    worker.once('exit', (code) => reject(new Error(`a worker ended early with code ${code}`)))
  })
}

/** Runs one task per item, so many at a time, and answers in the order of the items. */
export async function inParallel<T, R>(
  items: readonly T[],
  lanes: number,
  task: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = new Array(items.length)
  const waiting = [...items.entries()]
  const lane = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) results[next[0]] = await task(next[1])
  }
  await Promise.all(Array.from({ length: lanes }, lane))
  return results
}
