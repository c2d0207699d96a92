/**
 * The world that is explored: a simulated cluster, and what the operator has in memory. Time is logical: one tick is longer than a
 * drain may take, and two are longer than a batch may take.
 */

import type { NodeOperation, NodeOperationStatus } from '../../../src/api/v1alpha1/node-operation.ts'
import type { NodeAction } from '../../../src/core/nodes/action.ts'
import type { Seen } from '../../../src/core/simulate/nodes/observe.ts'
import type { NodesWorld } from '../../../src/core/simulate/nodes/world.ts'
import type { NodeBudget, NodeKindName, NodesConfig } from './config.ts'

export const TICK_MS = 400_000

/** One pass: what it planned is fixed when it begins, each write is a step of its own. */
export interface NodesPass {
  /** Name of the operation; undefined: the scanner. */
  readonly operation: string | undefined
  readonly uid: string
  readonly actions: readonly NodeAction[]
  /** Written last, when it differs. */
  readonly status?: { readonly of: NodeOperation; readonly to: NodeOperationStatus }
  /** The write that comes next. */
  readonly next: number
  /** The world it was planned in, when nothing lagged: its first write needs no second look there. */
  readonly freshIn?: World
}

export interface NodesMemory {
  readonly lag?: { readonly kind: NodeKindName; readonly seen: Seen }
  readonly suspended?: NodesPass
}

export interface World extends NodesWorld {
  readonly config: NodesConfig
  readonly memory: NodesMemory
  readonly budget: NodeBudget
}
