/** The world of a standing cluster as a model for the explorer. */
import type { Model } from '../engine/model.ts'
import type { NodesConfig } from './config.ts'
import { encode } from './encode.ts'
import { atRest, ending, match } from './match.ts'
import { startOf } from './start.ts'
import { steps } from './steps.ts'
import type { World } from './world.ts'

export const nodesModel = (config: NodesConfig): Model<World> => ({
  name: config.name,
  initial: () => startOf(config),
  steps,
  encode,
  violations: ({ violations }) => violations,
  match,
  atRest,
  ending,
})
