/** What users do, and what breaks: each as often as the budget of the world allows. */

import { formatTimestamp } from '../../../src/api/timestamp.ts'
import type { ClusterLease } from '../../../src/api/v1alpha1/cluster-lease.ts'
import type { PoolSpec } from '../../../src/api/v1alpha1/cluster-pool.ts'
import { leaseStatusOf, releasedStatus } from '../../../src/core/lease/lease-status.ts'
import { aLease } from '../../../src/core/testing/builders.ts'
import type { Step } from '../engine/model.ts'
import type { Edit } from './config.ts'
import { isReady } from './invariants.ts'
import { inDeletion, memberChanged, remember, setCluster, viewed, type World } from './world.ts'
import { deleteInstance, deleteLease, updateLease, updatePool } from './writes.ts'

const spent = (world: World, what: keyof World['budget']): World => ({
  ...world,
  budget: { ...world.budget, [what]: world.budget[what] - 1 },
})

const disturbance = (label: string, next: World): Step<World> => ({ label, fair: false, next })

export function* disturbances(world: World): Generator<Step<World>> {
  const { budget } = world
  if (budget.claims > 0) yield disturbance('a lease is asked for', spent(claim(world), 'claims'))
  if (budget.releases > 0) yield* releases(world)
  if (budget.edits > 0) yield* edits(world)
  if (budget.failures > 0) yield* failures(world)
  if (budget.sickness > 0) yield* sickness(world)
  if (budget.lags > 0 && world.memory.lag === undefined) yield* lags(world)
  if (budget.deletes > 0) yield* deletes(world)
}

function claim(world: World): World {
  const serial = world.serial + 2
  const number = world.config.budget.claims ?? 0
  const picky = number === 1 || world.budget.claims < number
  const { status: _none, ...lease } = aLease({
    name: `lease-${serial}`,
    createdAt: world.now,
    spec: {
      ttl: world.config.leasesExpire === true ? '10m' : '8760h',
      allowStale: !(world.config.freshOnly === true && picky),
    },
  })
  const metadata = { ...lease.metadata, uid: `l${serial - 1}`, resourceVersion: String(serial) }
  const made: ClusterLease = { ...lease, metadata: { ...metadata, creationTimestamp: formatTimestamp(world.now) } }
  return { ...world, serial, leases: [...world.leases, made] }
}

function* releases(world: World): Generator<Step<World>> {
  for (const { metadata, status } of world.leases) {
    const phase = status?.phase ?? 'Pending'
    if (phase !== 'Pending' && phase !== 'Bound') continue
    const target = { name: metadata.name ?? '', fence: {} }
    const { world: next } = updateLease(world, 'other', target, (lease) => ({
      ...lease,
      status: { ...leaseStatusOf(lease), ...releasedStatus(lease, world.now) },
    }))
    yield disturbance(`${metadata.name} is released`, spent(next, 'releases'))
  }
}

const EDITS: Readonly<Record<Edit, (spec: PoolSpec) => PoolSpec>> = {
  v1: (spec) => ({ ...spec, cluster: { ...spec.cluster, version: 'v1' } }),
  v2: (spec) => ({ ...spec, cluster: { ...spec.cluster, version: 'v2' } }),
  bad: (spec) => ({ ...spec, cluster: { ...spec.cluster, version: 'bad' } }),
  hang: (spec) => ({ ...spec, cluster: { ...spec.cluster, version: 'hang' } }),
  full: (spec) => ({ ...spec, cluster: { ...spec.cluster, version: 'full' } }),
  pause: (spec) => ({ ...spec, upgradePolicy: { ...(spec.upgradePolicy ?? { maxSurge: 1 }), maxRecycling: 0 } }),
  resume: (spec) => ({ ...spec, upgradePolicy: { ...(spec.upgradePolicy ?? { maxSurge: 1 }), maxRecycling: 1 } }),
  grow: (spec) => ({ ...spec, size: spec.size + 1 }),
  shrink: (spec) => ({ ...spec, size: Math.max(0, spec.size - 1) }),
}

function* edits(world: World): Generator<Step<World>> {
  for (const edit of world.config.edits ?? []) {
    const before = world.pool?.spec
    if (before === undefined || world.pool?.metadata.deletionTimestamp !== undefined) return
    const spec = EDITS[edit](before)
    if (JSON.stringify(spec) === JSON.stringify(before)) continue
    const { world: next } = updatePool(world, 'other', {}, (pool) => ({
      ...pool,
      spec,
      metadata: { ...pool.metadata, generation: (pool.metadata.generation ?? 0) + 1 },
    }))
    yield disturbance(`the spec changes: ${edit}`, spent(next, 'edits'))
  }
}

function* failures(world: World): Generator<Step<World>> {
  for (const [uid, cluster] of world.clusters) {
    if (cluster.state !== 'booting') continue
    const name = world.instances.find(({ metadata }) => metadata.uid === uid)?.metadata.name
    for (const state of ['failed', 'hanging', 'full'] as const) {
      const next = memberChanged(setCluster(world, uid, { ...cluster, state }), uid)
      yield disturbance(`${name} is ${state} on its way up`, spent(next, 'failures'))
    }
  }
}

function* sickness(world: World): Generator<Step<World>> {
  for (const instance of world.instances) {
    const uid = instance.metadata.uid ?? ''
    const cluster = world.clusters.get(uid)
    if (cluster?.state !== 'running' || !isReady(instance)) continue
    const probes = new Map(world.memory.probes)
    probes.delete(uid)
    const sick = setCluster(remember(world, { probes }), uid, { ...cluster, state: 'sick' })
    yield disturbance(`${instance.metadata.name} answers no more`, spent(sick, 'sickness'))
  }
}

function* lags(world: World): Generator<Step<World>> {
  for (const kind of world.config.lagging ?? ['pool', 'instances', 'leases']) {
    const lag = { kind, seen: viewed(world), at: world.serial }
    yield disturbance(`the watch of ${kind} lags`, spent(remember(world, { lag }), 'lags'))
  }
}

function* deletes(world: World): Generator<Step<World>> {
  const kinds = world.config.deletes ?? ['instance', 'lease']
  if (kinds.includes('instance')) {
    for (const { metadata } of world.instances) {
      if (metadata.deletionTimestamp !== undefined) continue
      const { world: next } = deleteInstance(world, 'other', { name: metadata.name ?? '', fence: {} })
      yield disturbance(`${metadata.name} is deleted by hand`, spent(next, 'deletes'))
    }
  }
  if (kinds.includes('lease')) {
    for (const { metadata } of world.leases) {
      if (metadata.deletionTimestamp !== undefined) continue
      const { world: next } = deleteLease(world, 'other', { name: metadata.name ?? '', fence: {} })
      yield disturbance(`${metadata.name} is deleted by hand`, spent(next, 'deletes'))
    }
  }
  if (kinds.includes('pool') && world.pool !== undefined && world.pool.metadata.deletionTimestamp === undefined) {
    const { world: next } = updatePool(world, 'other', {}, (pool) => inDeletion(pool, world.now))
    yield disturbance('the pool is deleted', spent(next, 'deletes'))
  }
}
