/** What single built-in kinds do beyond their schema, by group and kind. */
import type { Strategy } from '../../registry/resource-definition.ts'

const STRATEGIES: Readonly<Record<string, Strategy>> = {}

export function strategyOf(group: string, kind: string): Strategy | undefined {
  return STRATEGIES[`${group}/${kind}`]
}
