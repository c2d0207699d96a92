/** A story told to the simulated world, and its golden log: one line per change of the counts, with the notes that led to it. */

import type { PoolSpec } from '../../../src/api/v1alpha1/cluster-pool.ts'
import { bucketOf } from '../../../src/core/pool/member.ts'
import { advance, editPool, release, settle } from '../../../src/core/simulate/run-world.ts'
import { restart, type World } from '../../../src/core/simulate/world.ts'
import { addLease, aWorld, upgradeTo } from '../../../src/core/testing/a-world.ts'
import { POOL_NAME, SECOND, T0 } from '../../../src/core/testing/builders.ts'

/** `3 s` of virtual time between two looks: shorter than any boot. */
const LOOK_MS = 3 * SECOND

export type Event =
  | { readonly at: number; readonly do: 'claim' | 'release'; readonly lease: string }
  | { readonly at: number; readonly do: 'upgrade'; readonly to: string }
  | { readonly at: number; readonly do: 'pause' | 'resume' | 'restart' }
  | { readonly at: number; readonly do: 'size'; readonly to: number }
  | { readonly at: number; readonly do: 'full' | 'room' }

export interface Scenario {
  /** Also the name of the golden file. */
  readonly name: string
  readonly spec: Partial<PoolSpec>
  /** Seconds after the pool has been filled. */
  readonly events: readonly Event[]
  /** Virtual seconds after the fill. Default 300. */
  readonly seconds?: number
}

export interface Told {
  readonly log: string
  readonly world: World
  readonly leastReady: number
}

export function tell(scenario: Scenario): Told {
  const world = aWorld(scenario.spec)
  world.behaviour = { ...world.behaviour, bad: new Map([['bad', 'Failed']]) }
  advance(world, T0 + 60 * SECOND)
  const start = world.now
  const lines = [`# ${scenario.name}: ${JSON.stringify(scenario.spec)}`, lineOf(world, 0)]
  let leastReady = readyIn(world)
  let heard = world.notes.length
  const events = [...scenario.events]
  const end = start + (scenario.seconds ?? 300) * SECOND
  while (world.now < end) {
    const due = events[0]
    const next = Math.min(
      end,
      world.now + LOOK_MS,
      due === undefined ? end : Math.max(world.now, start + due.at * SECOND),
    )
    if (next > world.now) advance(world, next)
    while (events[0] !== undefined && start + events[0].at * SECOND <= world.now) {
      const event = events.shift()
      if (event === undefined) break
      lines.push(`${secondsSince(world, start)}  * ${wordsOf(event)}`)
      happen(world, event)
      settle(world)
    }
    leastReady = Math.min(leastReady, readyIn(world))
    const line = lineOf(world, start)
    const notes = [
      ...new Set(
        world.notes
          .slice(heard)
          .filter(({ level }) => level !== 'Debug')
          .map(({ reason }) => reason),
      ),
    ]
    heard = world.notes.length
    if (
      line.slice(8) !==
      lines
        .findLast((text) => !text.includes('*'))
        ?.slice(8)
        .replace(/ {2}\[.*$/, '')
    ) {
      lines.push(notes.length === 0 ? line : `${line}  [${notes.join(' ')}]`)
    }
  }
  return { log: `${lines.join('\n')}\n`, world, leastReady }
}

const secondsSince = (world: World, start: number): string => `${String((world.now - start) / SECOND).padStart(4)} s`

function happen(world: World, event: Event): void {
  if (event.do === 'claim') addLease(world, event.lease)
  if (event.do === 'release') release(world, event.lease)
  if (event.do === 'upgrade') editPool(world, POOL_NAME, upgradeTo(event.to))
  if (event.do === 'restart') restart(world)
  if (event.do === 'size') editPool(world, POOL_NAME, (spec) => ({ ...spec, size: event.to }))
  if (event.do === 'pause' || event.do === 'resume') {
    const maxRecycling = event.do === 'pause' ? 0 : 1
    editPool(world, POOL_NAME, (spec) => ({
      ...spec,
      upgradePolicy: { ...(spec.upgradePolicy ?? { maxSurge: 1 }), maxRecycling },
    }))
  }
  if (event.do === 'full' || event.do === 'room') {
    const versions = ['v1', 'v2', 'v3'].map((version) => [version, 'Unschedulable'] as const)
    world.behaviour = { ...world.behaviour, bad: new Map(event.do === 'full' ? versions : []) }
  }
}

function wordsOf(event: Event): string {
  if (event.do === 'claim') return `${event.lease} is asked for`
  if (event.do === 'release') return `${event.lease} is released`
  if (event.do === 'upgrade') return `the template becomes ${event.to}`
  if (event.do === 'restart') return 'the operator restarts'
  if (event.do === 'size') return `the size becomes ${event.to}`
  if (event.do === 'full' || event.do === 'room') return event.do === 'full' ? 'the host is full' : 'the host has room'
  return event.do === 'pause' ? 'the upgrade is paused' : 'the upgrade is resumed'
}

const readyIn = (world: World): number => world.instances.list().filter((member) => bucketOf(member) === 'ready').length

/** Counts by version: `ready 2xv1 1xv2`; buckets without members are left out. */
function lineOf(world: World, start: number): string {
  const buckets = new Map<string, Map<string, number>>()
  for (const member of world.instances.list()) {
    const bucket = bucketOf(member)
    const versions = buckets.get(bucket) ?? new Map<string, number>()
    const version = member.status?.createdWith?.cluster?.version ?? 'unstamped'
    buckets.set(bucket, versions.set(version, (versions.get(version) ?? 0) + 1))
  }
  const parts = ['ready', 'leased', 'creating', 'recycling', 'unhealthy', 'quarantined'].flatMap((bucket) => {
    const versions = buckets.get(bucket)
    if (versions === undefined) return []
    return `${bucket} ${[...versions]
      .sort()
      .map(([version, count]) => `${count}x${version}`)
      .join(' ')}`
  })
  const queue = world.leases.list().filter(({ status }) => (status?.phase ?? 'Pending') === 'Pending').length
  const phase = world.pools.get(POOL_NAME)?.status?.phase ?? 'new'
  const waiting = queue === 0 ? '' : `, ${queue} waiting`
  return `${start === 0 ? '   0 s' : secondsSince(world, start)}  ${phase}: ${parts.join(', ') || 'no members'}${waiting}`
}
