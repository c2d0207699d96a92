import { NODES, type Node } from '../../../../api/core-resources.ts'
import { DONE, waiting } from '../step-result.ts'
import type { Gate } from './gate.ts'

/** Passes when at least `count` nodes are Ready. */
export const nodesReady: Gate = async ({ client }, { count = 1 }) => {
  const { items } = await client.list(NODES)
  const ready = items.filter(isReady).length
  return ready >= count ? DONE : waiting(`${ready} of ${count} nodes Ready`)
}

function isReady({ status }: Node): boolean {
  return status?.conditions?.some((condition) => condition.type === 'Ready' && condition.status === 'True') ?? false
}
