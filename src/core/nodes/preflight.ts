/**
 * What has to be true of the rest of the cluster before nodes go down [C]: asked before a batch is claimed, and again before
 * each step that has not yet taken its node down. All that is wrong is collected.
 */
import { NodeReason } from '../../api/v1alpha1/node-reasons.ts'
import { isLeftover } from './left-out.ts'
import type { Member } from './model.ts'
import { holdsEtcd, quorumRisk } from './quorum.ts'
import { hasNode, isRunning, type RunFacts } from './run-facts.ts'

export interface Problem {
  readonly reason: NodeReason
  readonly message: string
}

interface Question {
  readonly facts: RunFacts
  /** What is to go down. */
  readonly going: readonly Member[]
  readonly names: ReadonlySet<string>
  /** Everything else, less what an earlier run left behind and this run is going to bring back. */
  readonly others: readonly Member[]
}

export function preflight(facts: RunFacts, going: readonly Member[]): Problem[] {
  const { nodesKnown, machinesKnown, members } = facts.observed
  if (!nodesKnown) return [{ reason: NodeReason.NoData, message: 'the nodes could not be read' }]
  if (!machinesKnown) return [{ reason: NodeReason.NoData, message: 'the machines could not be read' }]
  const names = new Set(going.map(({ name }) => name))
  const others = members.filter((member) => !names.has(member.name) && !isLeftover(facts, member))
  const question = { facts, going, names, others }
  return CHECKS.flatMap((check) => check(question) ?? [])
}

/** So many names stand in a message. */
const NAMED = 5

export function named(members: readonly { readonly name: string }[]): string {
  const names = members.slice(0, NAMED).map(({ name }) => name)
  return members.length > NAMED ? `${names.join(', ')} and ${members.length - NAMED} more` : names.join(', ')
}

type Check = (question: Question) => Problem | undefined

const CHECKS: readonly Check[] = [
  function everyOtherMachineRuns({ others }) {
    const down = others.filter((member) => !isRunning(member))
    if (down.length === 0) return undefined
    return { reason: NodeReason.PreflightFailed, message: `${down.length} other machine(s) do not run: ${named(down)}` }
  },
  function everyOtherNodeIsReady({ others }) {
    const notReady = others.filter((member) => isRunning(member) && hasNode(member) && !member.node?.ready)
    if (notReady.length === 0) return undefined
    const message = `${notReady.length} other node(s) are not Ready: ${named(notReady)}`
    return { reason: NodeReason.PreflightFailed, message }
  },
  function quorumStays({ facts, going }) {
    for (const member of going) {
      if (!holdsEtcd(facts, member) || isDown(member)) continue
      const risk = quorumRisk(facts, member)
      if (risk !== undefined) return { reason: NodeReason.QuorumAtRisk, message: `${member.name}: ${risk}` }
    }
    return undefined
  },
  function anotherControlNodeServes({ facts, going, names }) {
    if (!going.some((member) => member.type !== 'worker' && !isDown(member))) return undefined
    for (const name of facts.observed.serving) if (!names.has(name)) return undefined
    return { reason: NodeReason.PreflightFailed, message: 'no other control node serves the API' }
  },
  function healthChecksPass({ facts }) {
    const { consecutive } = facts.spec.pace
    const results = new Map(facts.observed.health.map((result) => [result.name, result]))
    for (const { name } of facts.spec.healthChecks) {
      const { passes, message } = results.get(name) ?? { passes: 0, message: 'no data' }
      if (passes >= consecutive) continue
      const count = `${passes} of ${consecutive} passes in a row`
      return { reason: NodeReason.HealthCheckFailing, message: `health check ${name}: ${count}: ${message}` }
    }
    return undefined
  },
]

/** It is down already: bringing it back takes nothing from anybody. */
const isDown = ({ machine }: Member): boolean => machine?.state === 'Stopped'
