/**
 * An expression over the objects of the cluster. Evaluation cannot be awaited, so it is cut off: an expression that goes through all
 * pairs of many pods must not hold up everything else that the operator does.
 */
import { Script } from 'node:vm'
import { Environment } from '@marcbachmann/cel-js'
import type { Look, Sight } from './check.ts'

const LONGEST_MS = 250
const VARIABLES = ['nodes', 'pods', 'daemonSets', 'budgets', 'machines', 'groups'] as const

/** Lists of a spec are short; these hold what the cluster has. */
const environment = VARIABLES.reduce(
  (made, variable) => made.registerVariable(variable, 'list'),
  new Environment({
    unlistedVariablesAreDyn: false,
    enableOptionalTypes: true,
    homogeneousAggregateLiterals: false,
    limits: { maxAstNodes: 10_000, maxDepth: 200 },
  }),
)

/** The time limit of a script holds for everything that it calls. */
const callInTime = new Script('evaluate()')

export const cel: Look = ({ cel: block }, sight) => {
  if (!sight.facts.nodesKnown || sight.session === undefined) return 'the objects of the cluster could not be read'
  try {
    const program = environment.parse(block?.expression ?? '')
    const evaluate = (): unknown => program(variablesOf(sight))
    const value: unknown = callInTime.runInNewContext({ evaluate }, { timeout: LONGEST_MS })
    if (typeof value !== 'boolean') return 'the expression gives no true or false'
    return value ? undefined : 'the expression is false'
  } catch (error) {
    return faultOf(error)
  }
}

function variablesOf({ facts, session }: Sight): Record<(typeof VARIABLES)[number], readonly unknown[]> {
  return {
    nodes: session?.nodes.list() ?? [],
    pods: session?.pods.list() ?? [],
    daemonSets: session?.daemonSets.list() ?? [],
    budgets: session?.budgets.list() ?? [],
    machines: facts.members.flatMap(({ machine }) => (machine === undefined ? [] : [machine])),
    groups: groupsOf(facts),
  }
}

function groupsOf({ members }: Sight['facts']): object[] {
  const groups = new Map<string, { name: string; type: string; nodes: number; ready: number }>()
  for (const { group, type, node } of members) {
    const of = groups.get(group) ?? { name: group, type, nodes: 0, ready: 0 }
    groups.set(group, { ...of, nodes: of.nodes + 1, ready: of.ready + (node?.ready === true ? 1 : 0) })
  }
  return [...groups.values()]
}

/** The time limit is told by an error of the script's own realm, which is no `Error` of ours. */
function faultOf(error: unknown): string {
  const { code, message = String(error) } = error as { readonly code?: unknown; readonly message?: string }
  if (code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return `the expression was not evaluated within ${LONGEST_MS} ms`
  return `the expression cannot be evaluated: ${message.split('\n', 1)[0]}`
}
