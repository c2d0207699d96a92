/** Whether etcd can lose one member. Also what makes a type of node impossible to roll [C]. */
import type { EtcdMemberFacts, Member } from './model.ts'
import type { RunFacts } from './run-facts.ts'

export const quorumOf = (members: number): number => Math.floor(members / 2) + 1

/** A type that can lose none of its nodes, and why; undefined when it can. */
export function cannotLose(type: Member['type'], counts: RunFacts['counts']): string | undefined {
  const external = counts.etcd > 0
  if (type === 'etcd' && counts.etcd < 3) return `${counts.etcd} etcd node(s) have no quorum without one of them`
  if (type !== 'control') return undefined
  if (counts.control < 2) return 'the only control node: no other serves the API meanwhile'
  if (!external && counts.control < 3) return 'etcd on 2 control nodes has no quorum without one of them'
  return undefined
}

/** Whether etcd runs on it. */
export const holdsEtcd = (facts: RunFacts, { type }: Member): boolean =>
  type === (facts.externalEtcd ? 'etcd' : 'control')

/** Why taking this member down would put the quorum at risk; undefined when it would not. No data is a reason. */
export function quorumRisk(facts: RunFacts, member: Member): string | undefined {
  const { etcd } = facts.observed
  if (etcd === undefined) return 'nothing is known of the health of etcd'
  if (!etcd.ready) return 'etcd does not report ready'
  const strangers = unexpected(facts, etcd.members)
  if (strangers !== undefined) return strangers
  const voters = etcd.members.filter(({ voter }) => voter)
  const others = voters.filter(({ machineId }) => machineId !== member.machine?.id)
  const healthy = others.filter((other) => other.healthy).length
  const needed = quorumOf(voters.length)
  if (healthy >= needed) return undefined
  return `${healthy} of the ${others.length} other etcd members are healthy, ${needed} are needed`
}

/** The members of etcd have to be the machines that there are: a name that came back is not yet a member. */
function unexpected(facts: RunFacts, members: readonly EtcdMemberFacts[]): string | undefined {
  const ids = new Set(members.flatMap(({ machineId, voter }) => (machineId !== undefined && voter ? [machineId] : [])))
  const stranger = members.find(({ machineId }) => machineId === undefined || !isOurs(facts, machineId))
  if (stranger !== undefined) return `etcd has a member ${stranger.name} that is none of the machines`
  const missing = facts.observed.members.find(
    (member) => holdsEtcd(facts, member) && !ids.has(member.machine?.id ?? ''),
  )
  return missing === undefined ? undefined : `${missing.name} is not a voting member of etcd`
}

const isOurs = (facts: RunFacts, machineId: string): boolean =>
  facts.observed.members.some((member) => member.machine?.id === machineId && holdsEtcd(facts, member))

/** After a member came back: every one is healthy, its own endpoint included, but those that are down and come next. */
export function etcdHealthy({ observed }: RunFacts, comesNext: (member: Member) => boolean): boolean {
  const { etcd, members } = observed
  if (etcd === undefined || !etcd.ready) return false
  const sick = etcd.members.filter(({ healthy }) => !healthy)
  if (sick.length === 0) return true
  const down = new Set(members.filter(comesNext).map(({ machine }) => machine?.id))
  return sick.every(({ machineId }) => machineId !== undefined && down.has(machineId))
}
