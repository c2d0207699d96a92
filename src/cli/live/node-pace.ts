/**
 * How long a node in flight may still take, where the server does not say: as long as those before it took in this run, or else
 * as long as the plan expected a batch of its group to take. For people; nothing is decided by it.
 */
import type { OperationNodeView, OperationView } from './operation-view.ts'

/** Milliseconds of a batch, by group. */
export type ExpectedMs = Readonly<Record<string, number>>

export interface NodePace {
  /** Takes notice of what has begun and of what is through. */
  see(operation: OperationView, now: number): void
  /** The same operation with an estimate at each node in flight that one can be made for. */
  estimated<T extends OperationView>(operation: T, now: number): T
}

const NOT_IN_FLIGHT: ReadonlySet<string> = new Set(['Failed', 'Skipped'])
const isInFlight = ({ step }: OperationNodeView): boolean => !NOT_IN_FLIGHT.has(step)

interface Begun {
  readonly group: string
  readonly at: number
}

export function createNodePace(expected: ExpectedMs = {}): NodePace {
  const begun = new Map<string, Begun>()
  const took = new Map<string, number[]>()
  const typicalMs = (group: string): number | undefined => median(took.get(group) ?? []) ?? expected[group]
  const leftMs = ({ name, group, estimateMs }: OperationNodeView, now: number): number | undefined => {
    const typical = typicalMs(group)
    const left = typical === undefined ? 0 : typical - (now - (begun.get(name)?.at ?? now))
    // An estimate that is used up says nothing.
    return estimateMs ?? (left >= 1_000 ? Math.round(left) : undefined)
  }
  return {
    see(operation, now) {
      const gone = takeGone(begun, operation)
      // A run that failed says nothing of how long a node takes.
      const through = !operation.ended || operation.phase === 'Succeeded' ? gone : []
      for (const { group, at } of through) took.set(group, [...(took.get(group) ?? []), now - at])
      const started = operation.nodes.filter((node) => isInFlight(node) && !begun.has(node.name))
      for (const node of started) begun.set(node.name, { group: node.group, at: startOf(node, now) })
    },
    estimated(operation, now) {
      if (operation.ended) return operation
      const nodes = operation.nodes.map((node) => {
        const left = isInFlight(node) ? leftMs(node, now) : undefined
        return left === undefined ? node : { ...node, estimateMs: left }
      })
      return { ...operation, nodes }
    },
  }
}

const median = (values: readonly number[]): number | undefined =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]

/** Removes the nodes that are no longer shown, and answers them. */
function takeGone(begun: Map<string, Begun>, { nodes }: OperationView): Begun[] {
  const present = new Set(nodes.map(({ name }) => name))
  const gone = [...begun].filter(([name]) => !present.has(name))
  for (const [name] of gone) begun.delete(name)
  return gone.map(([, one]) => one)
}

/** Whoever comes later sees a node in a later step; the clock of the server may be ahead. */
function startOf({ since }: OperationNodeView, now: number): number {
  const at = Date.parse(since)
  return Number.isNaN(at) ? now : Math.min(at, now)
}
