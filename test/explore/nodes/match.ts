/** What the wish is: every operation comes to its end and leaves nothing behind that it could have taken away. */
import { hasEnded } from '../../../src/core/nodes/operation-status.ts'
import { answers, serves } from '../../../src/core/simulate/nodes/world.ts'
import { describe, passesOf, run, writesOf } from './pass.ts'
import type { World } from './world.ts'

type Match = 'yes' | 'excused' | { readonly missing: string }

export function match(world: World): Match {
  const { cluster, operations, freezes } = world
  const open = operations.find((operation) => !hasEnded(operation))
  if (open !== undefined) {
    const frozen = cluster.spec.policy.freeze !== undefined || freezes.length > 0
    // Nobody serves the API: what is cordoned there cannot be given back before it is reached again.
    const reached = world.members.some((member) => member.type === 'control' && answers(member))
    // A destroy needs nobody's API.
    if (frozen || (!reached && open.spec.type !== 'Destroy')) return 'excused'
    return { missing: `${open.metadata.name} is ${open.status?.phase ?? 'new'}` }
  }
  const holder = cluster.status?.operation
  if (holder !== undefined) return { missing: `${holder.name} has ended and still holds the cluster` }
  const held = operations.find(({ metadata }) => (metadata.finalizers ?? []).length > 0)
  if (held !== undefined) return { missing: `${held.metadata.name} has ended and keeps its finalizer` }
  const state = cluster.status?.state ?? 'Created'
  if (state === 'Destroying') return destroyed(world)
  const well =
    world.members.every(serves) &&
    world.members.every(({ machine }) => machine.sick !== true && machine.member !== 'zombie')
  // A member that was removed is missing from what etcd lists: by its health alone it cannot be told.
  const unsure = world.members.some(({ machine }) => machine.member === 'removed')
  if (!unsure && well !== (state === 'Running'))
    return { missing: `the cluster is ${state} and ${well ? '' : 'not '}well` }
  return 'yes'
}

/** What is being destroyed goes no further by itself; what was destroyed has no machine left, and its cluster goes. */
function destroyed({ cluster, operations, members }: World): Match {
  const isGoing = cluster.metadata.deletionTimestamp !== undefined
  if (isGoing) return members.length === 0 ? 'yes' : { missing: `the cluster goes, and has ${members.length} machines` }
  const done = operations.some(({ spec, status }) => spec.type === 'Destroy' && status?.phase === 'Succeeded')
  return done ? { missing: 'the destroy succeeded, and the cluster is still there' } : 'yes'
}

/** Where only no-op steps are left. */
export function atRest(world: World): string[] {
  return [...quiet(world), ...achieved(world), ...restored(world)]
}

/** Counts and messages may be written once more; then nothing is. */
function quiet(world: World): string[] {
  if (match(world) !== 'yes') return []
  const settled = passesOf(world).reduce((state, pass) => run(state, pass).world, world)
  return passesOf(settled).flatMap((pass) =>
    writesOf(pass) > 0
      ? [`I12: ${pass.operation ?? 'the scanner'} still writes where nothing changes: ${describe(pass)}`]
      : [],
  )
}

/** A rollout that succeeded has done what it was for; what it left out is named. */
function achieved(world: World): string[] {
  const last = world.cluster.status?.lastOperation
  if (world.config.succeeds && last !== undefined && last.phase !== 'Succeeded')
    return [
      `C26: the run ended as ${last.phase}, though nothing kept it from succeeding: ${world.cluster.status?.lastError}`,
    ]
  const { type } = world.config.operation ?? {}
  if (type === 'Stop' || type === 'Start') return powered(world, type)
  if (last?.phase !== 'Succeeded' || match(world) !== 'yes') return []
  const edited = world.config.budget?.edits !== undefined
  const byHand = (world.config.budget?.machinesByHand ?? 0) > 0
  const error = world.cluster.status?.lastError ?? ''
  return world.members.flatMap(({ name, machine, node, group }) => {
    const wanted = world.cluster.spec.nodeGroups.find((candidate) => candidate.name === group)?.settings.offering
    const held = node?.cordon === 'ours' || node?.mark !== undefined
    if (held && node.ready && machine.state === 'Running' && machine.settings.offering === wanted)
      return [`C27: the rollout succeeded, and ${name} keeps our cordon or mark though it is well`]
    if (error.includes(name)) return []
    const wrong: string[] = []
    if (!edited && machine.settings.offering !== wanted) wrong.push(`is ${machine.settings.offering}`)
    if (!byHand && machine.state !== 'Running') wrong.push(`is ${machine.state}`)
    if (held) wrong.push('keeps our cordon or mark')
    return wrong.map((what) => `C26: the rollout succeeded, and ${name} ${what}`)
  })
}

/** A start or a stop that succeeded has moved every machine. */
function powered(world: World, type: 'Start' | 'Stop'): string[] {
  if (world.cluster.status?.lastOperation?.phase !== 'Succeeded') return []
  const wanted = type === 'Start' ? 'Running' : 'Stopped'
  return world.members
    .filter(({ machine }) => machine.state !== wanted)
    .map(({ name, machine }) => `P4: the ${type} succeeded, and ${name} is ${machine.state}`)
}

/** Where there is no room for the new settings, every machine runs with the former ones at the end. */
function restored({ rules, members, budget, config }: World): string[] {
  const byHand = budget.machinesByHand !== config.budget?.machinesByHand && config.budget?.machinesByHand !== undefined
  if (rules.noRoomFor === undefined || byHand) return []
  return members
    .filter(({ machine }) => machine.state !== 'Running')
    .map(({ name, machine }) => `no room: ${name} is ${machine.state}, and ran with its former settings`)
}

/** Equal wishes end equally: what the nodes are, whatever happened on the way. */
export function ending(world: World): { wish: string; end: string } {
  const last = world.cluster.status?.lastOperation
  const cordons = world.members.map(({ node }) => (node?.cordon === 'foreign' ? 'f' : '')).join()
  const wanted = world.cluster.spec.nodeGroups.map(({ settings }) => settings.offering).join()
  const byHand = (world.config.budget?.machinesByHand ?? 0) > 0
  const wish = `${last?.phase}/${world.cluster.status?.lastError === undefined}/${cordons}/${wanted}/${Object.values(world.budget).join('')}`
  const clean = last?.phase === 'Succeeded' && world.cluster.status?.lastError === undefined
  const end = clean
    ? world.members
        .map(
          ({ machine, node }) =>
            `${byHand ? '' : machine.state}${machine.settings.offering}${node?.cordon ?? ''}${node?.mark ?? ''}`,
        )
        .join()
    : ''
  return { wish, end }
}
