/** The text of a world in which versions, UIDs and absolute times do not appear. */

import { parseTimestamp } from '../../../src/api/timestamp.ts'
import type { ManagedCluster } from '../../../src/api/v1alpha1/managed-cluster.ts'
import type { NodeOperation } from '../../../src/api/v1alpha1/node-operation.ts'
import type { SimMember } from '../../../src/core/simulate/nodes/world.ts'
import { stillRight, writesOf } from './pass.ts'
import { TICK_MS, type World } from './world.ts'

/** Beyond so many ticks nothing depends on how many. */
const OLD = 2

const age = ({ now }: World, moment: string | undefined): string =>
  moment === undefined ? '-' : String(Math.min(OLD, Math.floor((now - (parseTimestamp(moment) ?? 0)) / TICK_MS)))

const known = new WeakMap<World, string>()

/** A state is asked for several times: by the step that leads to it, by the search, and when it is expanded. */
export function encode(world: World): string {
  const before = known.get(world)
  if (before !== undefined) return before
  const text = textOf(world)
  known.set(world, text)
  return text
}

function textOf(world: World): string {
  const { memory, members } = world
  const parts = [
    ofCluster(world, world.cluster),
    ofOperations(world.operations),
    members.map((member) => ofMachine(member) + ofNode(member)).join(','),
    world.freezes.length,
    [...world.attempted]
      .map(([machine, by]) => `${machine}:${by}`)
      .sort()
      .join(','),
    Object.values(world.budget).join(''),
    ofLag(world),
    memory.suspended === undefined ? '' : ofSuspended(world),
    world.violations.length,
  ]
  return parts.join('|')
}

function ofCluster(world: World, { metadata, spec, status }: ManagedCluster): string {
  const holder = status?.operation
  const base = [
    spec.nodeGroups.map(({ settings }) => settings.offering).join(),
    spec.policy.freeze === undefined ? '' : 'F',
    status?.state,
    metadata.deletionTimestamp === undefined ? '' : 'D',
    status?.lastError === undefined ? '' : 'E',
    status?.lastOperation === undefined ? '' : status.lastOperation.name + status.lastOperation.phase,
  ]
  if (holder === undefined) return base.join(';')
  const batch = holder.batch
  const nodes = (batch?.nodes ?? []).map(({ name, bootId, before, restoring, failed, skipped }) =>
    [name, bootId, before?.offering, restoring ? 'r' : '', failed?.reason, skipped === undefined ? '' : 's'].join(':'),
  )
  return [
    ...base,
    holder.name,
    holder.from,
    age(world, holder.wanted === undefined ? holder.startedAt : undefined),
    holder.wanted?.map(({ settings }) => settings.offering).join(),
    age(world, batch?.startedAt),
    nodes.join(','),
    world.cluster.spec.pace.bakeTime === undefined ? '' : age(world, holder.lastBatchAt),
    age(world, holder.holdSince),
    holder.done ?? 0,
    (holder.skipped ?? []).map(({ name }) => name).join(),
    holder.outcome === undefined ? '' : holder.outcome.phase + holder.outcome.reason,
  ].join(';')
}

const ofOperations = (operations: readonly NodeOperation[]): string =>
  operations
    .map(({ metadata, spec, status }) =>
      [
        metadata.name,
        metadata.finalizers?.length ?? 0,
        metadata.deletionTimestamp === undefined ? '' : 'd',
        spec.cancel ? 'c' : '',
        spec.settingsStored ? '' : 's',
        status?.phase,
      ].join(':'),
    )
    .join(',')

function ofMachine({ name, machine, claimedAt }: SimMember): string {
  const { state, settings, boot, failure, dead, sick, member } = machine
  return [
    name,
    state,
    settings.offering,
    boot,
    failure?.[0],
    dead ? 'x' : '',
    sick ? '~' : '',
    member?.[0],
    claimedAt === undefined ? '' : boot - claimedAt,
  ].join(':')
}

function ofNode({ node }: SimMember): string {
  if (node === undefined) return ''
  const { ready, boot, cordon, owned, mark, pods, blocked } = node
  return `/${ready ? 'R' : 'N'}${boot}${cordon?.[0] ?? ''}${owned ? '!' : ''}m${mark ?? ''}p${pods}${blocked ? 'b' : ''}`
}

/** What a lagging cache shows, and whether it is what is there. */
function ofLag(world: World): string {
  const { lag } = world.memory
  if (lag === undefined) return ''
  if (lag.kind === 'cluster') {
    const same = lag.seen.cluster.metadata.resourceVersion === world.cluster.metadata.resourceVersion
    return `cluster${same ? '=' : ofCluster(world, lag.seen.cluster)}`
  }
  if (lag.kind === 'operations') return `operations${ofOperations(lag.seen.operations)}`
  const present = new Map(world.members.map((member) => [member.name, member]))
  const shown = lag.seen.nodes.map((member) => {
    const same = present.get(member.name)?.node?.version === member.node?.version
    return same ? '=' : ofNode(member)
  })
  return `nodes${shown.join(',')}`
}

/** Which of its writes would still be made. */
function ofSuspended(world: World): string {
  const pass = world.memory.suspended
  if (pass === undefined) return ''
  const left = pass.actions.slice(pass.next).map((action) => {
    const node = 'node' in action ? action.node : ''
    return `${action.kind}${node}${stillRight(world, pass, action) ? '' : '-'}`
  })
  const { status } = pass
  const operation = world.operations.find(({ metadata }) => metadata.uid === pass.uid)
  const fits = operation?.metadata.resourceVersion === status?.of.metadata.resourceVersion
  return [
    pass.operation,
    writesOf(pass) - pass.next,
    left.join(),
    status === undefined ? '' : status.to.phase,
    fits,
  ].join(':')
}
