/** The cluster as it will be after nodes were renewed, for a look ahead. It has lists of its own, changed in place. */
import type { EtcdFacts, MachineFacts, Member, NodeFacts, NodesObserved } from './model.ts'
import { changesOf } from './out-of-date.ts'
import { holdsEtcd } from './quorum.ts'
import { hasNode, isServing, type RunFacts, wantedOf } from './run-facts.ts'

export interface Imagined {
  /** As it is imagined now. */
  readonly facts: RunFacts
  /** These came through a restart: up to date, Ready, not cordoned by us, without a mark. */
  renew(members: readonly Member[]): void
  /** Everything but these has become well by itself; health checks pass. */
  mend(except: ReadonlySet<string>): void
}

export function createImagined(start: RunFacts): Imagined {
  const members = [...start.observed.members]
  const byName = new Map(start.byName)
  const byGroup = new Map([...start.byGroup].map(([group, own]) => [group, [...own]]))
  const places = new Map(members.map(({ name }, at) => [name, at]))
  const placesInGroup = new Map([...byGroup.values()].flatMap((own) => own.map(({ name }, at) => [name, at] as const)))
  let facts: RunFacts = { ...start, byName, byGroup, observed: { ...start.observed, members } }
  const replace = (next: Member): void => {
    members[places.get(next.name) ?? members.length] = next
    byName.set(next.name, next)
    const own = byGroup.get(next.group) ?? []
    own[placesInGroup.get(next.name) ?? own.length] = next
  }
  const observe = (change: Partial<NodesObserved>): void => {
    facts = { ...facts, observed: { ...facts.observed, ...change } }
  }
  return {
    get facts() {
      return facts
    },
    renew(renewed) {
      for (const member of renewed) replace(renewedMember(facts, member))
      const back = renewed.filter(({ type }) => type !== 'worker')
      if (back.length > 0) observe({ etcd: etcdWith(facts, back), serving: servingWith(facts, back) })
    },
    mend(except) {
      const sick = members.filter((member) => !except.has(member.name) && !isServing(member))
      for (const member of sick) replace(mended(member))
      const well = members.filter(({ name }) => !except.has(name))
      const health = facts.spec.healthChecks.map(({ name }) => ({ name, passes: Number.MAX_SAFE_INTEGER, message: '' }))
      observe({ etcd: wellEtcd(facts), serving: servingWith(facts, well), health })
    },
  }
}

function renewedMember(facts: RunFacts, member: Member): Member {
  const { drain: _over, ...rest } = mended(member)
  const { machine, node } = rest
  if (machine === undefined) return rest
  const wanted = changesOf(machine, wantedOf(facts, member))
  const disk = Math.max(machine.settings.rootDiskSizeGB ?? 0, wanted.rootDiskSizeGB ?? 0)
  const settings = { ...machine.settings, ...wanted, ...(disk === 0 ? {} : { rootDiskSizeGB: disk }) }
  return { ...rest, machine: { ...machine, settings }, ...(node === undefined ? {} : { node: givenBack(node) }) }
}

/** As `release` leaves it: the cordon of somebody else stays. */
export function givenBack({ mark: _off, ...node }: NodeFacts): NodeFacts {
  return { ...node, cordon: node.cordon === 'ours' ? 'none' : node.cordon }
}

function mended(member: Member): Member {
  const { name, type } = member
  const machine: MachineFacts = { id: name, name, type, settings: {}, ...member.machine, state: 'Running' }
  if (!hasNode(member)) return { ...member, machine }
  const bare = { name, uid: '', resourceVersion: '', bootId: '', cordon: 'none' as const }
  return { ...member, machine, node: { ...bare, ...member.node, ready: true } }
}

const servingWith = ({ observed }: RunFacts, members: readonly Member[]): ReadonlySet<string> =>
  new Set([...observed.serving, ...members.filter(({ type }) => type === 'control').map(({ name }) => name)])

function etcdWith({ observed }: RunFacts, back: readonly Member[]): EtcdFacts | undefined {
  const { etcd } = observed
  if (etcd === undefined) return undefined
  const ids = new Set(back.map(({ machine }) => machine?.id))
  const members = etcd.members.map((one) => (ids.has(one.machineId) ? { ...one, healthy: true } : one))
  return { members, ready: etcd.ready || members.every(({ healthy }) => healthy) }
}

/** The members are the machines that there are, and all of them are healthy. */
function wellEtcd(facts: RunFacts): EtcdFacts {
  const holders = facts.observed.members.filter((member) => holdsEtcd(facts, member))
  const members = holders.map(({ name, machine }) => ({
    name,
    ...(machine === undefined ? {} : { machineId: machine.id }),
    healthy: true,
    voter: true,
  }))
  return { ready: true, members }
}
