/** Checks of what is gathered in every pass anyway. */
import { budgetName, budgetState } from '../../../core/drain/budgets.ts'
import type { DisruptionBudget } from '../../../core/drain/model.ts'
import { quorumOf } from '../../../core/nodes/quorum.ts'
import { hasNode, isRunning } from '../../../core/nodes/run-facts.ts'
import { isWorkOfRun, type Look, listed, type Sight } from './check.ts'

const namesOf = (members: readonly { readonly name: string }[]): string[] => members.map(({ name }) => name)

/** Every node that the run itself does not work on. */
export const nodesReady: Look = (_, sight) => {
  const { nodesKnown, members } = sight.facts
  if (!nodesKnown) return 'the nodes could not be read'
  const notReady = members.filter(
    (member) => hasNode(member) && member.node?.ready !== true && !isWorkOfRun(sight, member),
  )
  return listed(namesOf(notReady), 'not Ready')
}

/** Every machine that the run itself does not work on. */
export const machinesRunning: Look = (_, sight) => {
  const { machinesKnown, members } = sight.facts
  if (!machinesKnown) return 'the machines could not be read'
  const down = members.filter((member) => !isRunning(member) && !isWorkOfRun(sight, member))
  return listed(namesOf(down), 'not running')
}

export const etcdQuorum: Look = (_, { facts: { etcd } }) => {
  if (etcd === undefined) return 'nothing is known of the health of etcd'
  const voters = etcd.members.filter(({ voter }) => voter)
  const sick = voters.filter(({ healthy }) => !healthy)
  const healthy = voters.length - sick.length
  if (voters.length === 0 || healthy < quorumOf(voters.length))
    return `${healthy} of ${voters.length} etcd members are healthy, ${quorumOf(voters.length)} are needed; sick: ${namesOf(sick).join(', ') || 'none'}`
  return etcd.ready ? undefined : 'etcd does not report ready'
}

/**
 * Before a batch every budget that covers pods allows an eviction; while one is under way, which uses up what is allowed, none is
 * below what it asks for. A budget that nobody has counted is no data.
 */
export const pdbHeadroom: Look = (_, sight) => {
  if (sight.session === undefined) return 'the budgets could not be read'
  const budgets = sight.session.budgets.list()
  const uncounted = budgets.filter((budget) => budgetState(budget) === 'unknown')
  const short = budgets.filter(({ status }) => (status?.currentHealthy ?? 0) < (status?.desiredHealthy ?? 0))
  const closed = isUnderWay(sight) ? [] : budgets.filter(isClosed)
  return (
    listed(uncounted.map(budgetName), 'budgets that nobody has counted yet') ??
    listed(short.map(budgetName), 'budgets without their healthy pods') ??
    listed(closed.map(budgetName), 'budgets that allow no eviction')
  )
}

const isUnderWay = ({ cluster }: Sight): boolean => cluster.status?.operation?.batch !== undefined

const isClosed = (budget: DisruptionBudget): boolean =>
  (budget.status?.expectedPods ?? 0) > 0 && budgetState(budget) !== 'open'
