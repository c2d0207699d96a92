/** Which rules a definition may not have because they could be too dear. [k8s: estimated cost of validation rules] */
import { forbiddenError } from '../schema/field-error.ts'
import type { FieldError } from '../schema/schema.ts'
import { plus } from './size.ts'

/** For one expression. */
const EXPRESSION_LIMIT = 10_000_000
/** For all expressions of one schema. */
const SCHEMA_LIMIT = 100_000_000

interface Expense {
  readonly path: string
  readonly cost: number
}

/** At most so many are named when all together are too dear, each of them with a share worth naming. */
const MOST_EXPENSIVE = 4
const WORTH_NAMING = SCHEMA_LIMIT / 100

/** Adds up what the expressions of one schema cost. */
export class CostBudget {
  #total = 0
  readonly #expensive: Expense[] = []
  readonly #isKept: boolean

  /** `isKept`: only the sum counts. */
  constructor(isKept: boolean) {
    this.#isKept = isKept
  }

  /** Counts one expression, and says whether it is too dear by itself. `what`: `rule` or `messageExpression`. */
  add(path: string, what: string, cost: number): FieldError[] {
    this.#total = plus(this.#total, cost)
    if (cost >= WORTH_NAMING) this.#expensive.push({ path, cost })
    return cost > EXPRESSION_LIMIT && !this.#isKept
      ? [forbiddenError(path, exceeded(`estimated ${what} cost`, cost / EXPRESSION_LIMIT))]
      : []
  }

  /** `path`: of the schema. */
  total(path: string): FieldError[] {
    if (this.#total <= SCHEMA_LIMIT) return []
    const worst = this.#expensive.toSorted((left, right) => right.cost - left.cost).slice(0, MOST_EXPENSIVE)
    const share = 'contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema'
    const whole = 'x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema'
    return [
      ...worst.map((expense) => forbiddenError(expense.path, share)),
      forbiddenError(path, exceeded(whole, this.#total / SCHEMA_LIMIT)),
    ]
  }
}

const ADVICE =
  '(try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)'

function exceeded(what: string, times: number): string {
  return `${what} exceeds budget by factor of ${formatFactor(times)} ${ADVICE}`
}

function formatFactor(times: number): string {
  if (times > 100) return 'more than 100x'
  return times < 1.5 ? `${times.toFixed(6)}x` : `${times.toFixed(1)}x`
}
