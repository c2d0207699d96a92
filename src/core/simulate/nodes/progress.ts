/** What happens in a simulated cluster by itself: machines stop and boot, kubelets report, silence is noticed. */
import { answers, changeMachine, changeNode, type NodesWorld, type SimMember } from './world.ts'

export type ProgressKind = 'stopped' | 'booted' | 'noRoom' | 'reported' | 'silent' | 'recovered' | 'evictable'

export interface Progress<W extends NodesWorld> {
  readonly kind: ProgressKind
  readonly member: string
  readonly label: string
  readonly next: W
}

/** Everything that may happen next, member by member. */
export function* progress<W extends NodesWorld>(world: W): Generator<Progress<W>> {
  for (const member of world.members) {
    const { name } = member
    for (const { kind, label, apply } of possible(world, member)) {
      yield { kind, member: name, label: `${name} ${label}`, next: apply(world, name) }
    }
  }
}

interface Possible {
  readonly kind: ProgressKind
  readonly label: string
  readonly apply: <W extends NodesWorld>(world: W, name: string) => W
}

function possible({ rules }: NodesWorld, member: SimMember): Possible[] {
  const { machine } = member
  if (machine.state === 'Stopping') return [STOPPED, ...silent(member)]
  if (machine.state === 'Stopped') return silent(member)
  if (machine.state === 'Starting') {
    const full = rules.noRoomFor !== undefined && rules.noRoomFor === machine.settings.offering
    return [full ? NO_ROOM : BOOTED, ...silent(member)]
  }
  if (machine.state !== 'Running') return []
  if (!answers(member)) return silent(member)
  return [...reports(member), ...(machine.sick === true ? [RECOVERED] : []), ...unblocked(member)]
}

const STOPPED: Possible = {
  kind: 'stopped',
  label: 'is stopped',
  apply: (world, name) => changeMachine(world, name, { state: 'Stopped' }),
}

const BOOTED: Possible = {
  kind: 'booted',
  label: 'has booted',
  apply: (world, name) => {
    const boot = (world.members.find((member) => member.name === name)?.machine.boot ?? 0) + 1
    return changeMachine(world, name, { state: 'Running', boot })
  },
}

const NO_ROOM: Possible = {
  kind: 'noRoom',
  label: 'finds no room',
  apply: (world, name) => changeMachine(world, name, { state: 'Stopped', failure: 'InsufficientCapacity' }),
}

const RECOVERED: Possible = {
  kind: 'recovered',
  label: 'has a healthy etcd again',
  apply: (world, name) => ({
    ...world,
    members: world.members.map((member) => {
      if (member.name !== name) return member
      const { sick: _well, ...machine } = member.machine
      return { ...member, machine }
    }),
  }),
}

const silent = ({ node }: SimMember): Possible[] =>
  node?.ready === true
    ? [
        {
          kind: 'silent',
          label: 'is NotReady, as its kubelet is silent',
          apply: (world, name) => changeNode(world, name, (before) => ({ ...before, ready: false })),
        },
      ]
    : []

const reports = ({ node, machine }: SimMember): Possible[] =>
  node !== undefined && (!node.ready || node.boot !== machine.boot)
    ? [
        {
          kind: 'reported',
          label: 'is Ready, as its kubelet reports',
          apply: (world, name) => changeNode(world, name, (before) => ({ ...before, ready: true, boot: machine.boot })),
        },
      ]
    : []

const unblocked = ({ node }: SimMember): Possible[] =>
  node?.blocked === true
    ? [
        {
          kind: 'evictable',
          label: 'has pods that may be evicted again',
          apply: (world, name) => changeNode(world, name, ({ blocked: _open, ...before }) => before),
        },
      ]
    : []
