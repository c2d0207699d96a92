import { describe, expect, it } from 'vitest'
import { T0 } from '../testing/builders.ts'
import { aMember, heldNodes } from '../testing/node-builders.ts'
import type { EtcdMemberFacts, Member } from './model.ts'
import { preflight } from './preflight.ts'
import { quorumOf } from './quorum.ts'
import { runFacts } from './run-facts.ts'

/** How the etcd of a machine may be: `zombie` is a member of its name that belongs to a machine that is gone. */
const STATES = ['ok', 'slow', 'down', 'removed', 'zombie'] as const
type State = (typeof STATES)[number]

function* grid(size: number): Generator<State[]> {
  for (let cell = 0; cell < STATES.length ** size; cell += 1) {
    yield Array.from({ length: size }, (_none, at) => STATES[Math.floor(cell / STATES.length ** at) % STATES.length]!)
  }
}

const memberOf = (name: string, state: State): Member =>
  aMember(name, state === 'down' ? { machine: { state: 'Stopping' }, node: { ready: false } } : {})

function listed(member: Member, state: State): EtcdMemberFacts[] {
  if (state === 'removed') return []
  const id = member.machine?.id
  return [
    {
      name: member.name,
      ...(state === 'zombie' || id === undefined ? {} : { machineId: id }),
      healthy: state === 'ok',
      voter: true,
    },
  ]
}

/** Whether the first machine may go down, as the planner says. */
function mayGo(type: 'c' | 'e', states: readonly State[]): boolean {
  const members = states.map((state, at) => memberOf(`${type}${at + 1}`, state))
  const others = type === 'c' ? [] : ['c1', 'c2'].map((name) => aMember(name))
  const etcd = members.flatMap((member, at) => listed(member, states[at] ?? 'ok'))
  const healthy = etcd.filter((member) => member.healthy).length
  const observed = heldNodes([...members, ...others], {
    over: {
      etcd: { members: etcd, ready: healthy >= quorumOf(etcd.length) },
      serving: new Set([...members.filter((_member, at) => states[at] !== 'down'), ...others].map(({ name }) => name)),
    },
  })
  const facts = runFacts(observed, observed.cluster.status!.operation!, T0)
  return preflight(facts, members.slice(0, 1)).length === 0
}

/** All machines are members, and enough of the others are healthy that the quorum stays without the first. */
function isSafe([first, ...others]: readonly State[]): boolean {
  const known =
    first !== 'removed' && first !== 'zombie' && !others.some((state) => state === 'removed' || state === 'zombie')
  const healthy = others.filter((state) => state === 'ok').length
  const down = others.some((state) => state === 'down')
  return known && !down && healthy >= quorumOf(others.length + 1)
}

describe('N2: the quorum grid', () => {
  it.each([
    ['c', 3, 125],
    ['c', 5, 3125],
    ['e', 3, 125],
    ['e', 5, 3125],
  ] as const)(
    'N2: of %s%i, in each of the %i cells, the first goes exactly when the quorum is safe',
    (type, size, cells) => {
      let seen = 0
      for (const states of grid(size)) {
        seen += 1
        // The one that goes may be down or sick itself: what counts is the others, and that etcd as a whole is ready.
        if (mayGo(type, states) !== isSafe(states))
          expect(`${states.join()}: ${mayGo(type, states)}`).toBe(`${isSafe(states)}`)
      }
      expect(seen).toBe(cells)
    },
  )
})
