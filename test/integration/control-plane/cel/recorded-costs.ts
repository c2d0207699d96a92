/** What a real server says that rules could cost, and how to ask it. */
import { existsSync, readFileSync } from 'node:fs'
import { DYN } from '../../../../src/control-plane/cel/cel-type.ts'
import { compileExpression, type Parts } from '../../../../src/control-plane/cel/compile-expression.ts'
import { declareType } from '../../../../src/control-plane/cel/declare.ts'
import { estimateCost } from '../../../../src/control-plane/cel/estimate-cost.ts'
import { COSTED, costDefinition, ITEM } from './cost-cases.ts'
import type { Call } from './run-cases.ts'

export const RECORDED_COSTS = new URL('./recorded-costs.fixture.json', import.meta.url)

export interface CostAnswer {
  readonly maxItems: number
  /** Of the finding about the cost; empty: there was none. */
  readonly message: string
}
export type CostAnswers = Readonly<Record<string, CostAnswer>>

export function recordedCosts(): CostAnswers {
  return existsSync(RECORDED_COSTS) ? JSON.parse(readFileSync(RECORDED_COSTS, 'utf8')) : {}
}

export async function askCosts(call: Call): Promise<CostAnswers> {
  const known = recordedCosts()
  const answers: Record<string, CostAnswer> = {}
  for (const rule of COSTED) {
    const maxItems = known[rule]?.maxItems ?? itemsThatExceed(rule)
    const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions?dryRun=All'
    const { json } = await call('POST', path, costDefinition(rule, maxItems))
    const causes: readonly { message: string }[] = json.details?.causes ?? []
    answers[rule] = { maxItems, message: costMessage(causes) }
  }
  return answers
}

export function costMessage(found: readonly { readonly message: string }[]): string {
  return found.find(({ message }) => message.includes('cost'))?.message ?? ''
}

/** 1.2 times the limit, by our own estimate. */
function itemsThatExceed(rule: string): number {
  const parts: Parts = { types: new Map() }
  const self = declareType(ITEM) ?? DYN
  const result = compileExpression(rule, { self, oldSelf: self }, parts)
  if (!result.ok || parts.root === undefined) return 1
  const cost = estimateCost({ root: parts.root, types: parts.types }, ITEM)
  return Math.max(1, Math.floor(12_000_000 / Math.max(1, cost)))
}
