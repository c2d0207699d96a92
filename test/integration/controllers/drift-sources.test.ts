/** A change of one source of the spec hash rolls the pools it concerns, and the log and an Event name the source. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { EVENTS } from '../../../src/api/core-resources.ts'
import { BOOTSTRAP_CONFIGS } from '../../../src/api/v1alpha1/resources.ts'
import { createFakeBackend } from '../../../src/backends/fake/fake-backend.ts'
import { k3sRenderer } from '../../../src/backends/k3s/k3s-renderer.ts'
import { systemClock } from '../../../src/kube/clock.ts'
import {
  createOperatorWorld,
  type OperatorWorld,
  startWorldHost,
  type WorldHost,
} from '../../support/operator-world.ts'

let host: WorldHost
beforeAll(async () => {
  host = await startWorldHost()
})
afterAll(() => host.stop())

const uids = (world: OperatorWorld, pool: string) => world.members(pool).map(({ metadata }) => metadata.uid)

/** Resolves when every member of the pool is another one than before. */
const rolled = (world: OperatorWorld, pool: string, before: readonly (string | undefined)[]) =>
  world.until(`${pool} is rolled`, () => {
    const ready = world.inPhase(pool, 'Ready')
    const fresh = ready.every(({ metadata }) => !before.includes(metadata.uid))
    return fresh && ready.length === before.length && world.members(pool).length === before.length
  })

const specChanges = (world: OperatorWorld) =>
  world.logs
    .filter(({ fields }) => fields['reason'] === 'SpecChanged')
    .map(({ message, fields }) => `${fields['ClusterPool'].split('/')[1]}: ${message}`)

describe('a source of the spec hash', () => {
  it('spec: rolls its pool alone; the log and an Event name the field', async () => {
    await using world = await createOperatorWorld(host)
    await world.makePool('a', { size: 1 })
    await world.makePool('b', { size: 1 })
    await world.untilWarm('a', 1)
    await world.untilWarm('b', 1)
    const before = { a: uids(world, 'a'), b: uids(world, 'b') }
    await world.patchPool('a', { cluster: { version: 'v1.36.0' } })
    await rolled(world, 'a', before.a)
    expect(uids(world, 'b')).toEqual(before.b)
    const [line, ...more] = specChanges(world)
    expect(more).toEqual([])
    expect(line).toMatch(
      /^a: Spec changed: spec \(the spec of the pool\)( and workload \(.*\))?: cluster\.version "v1\.35\.0" -> "v1\.36\.0"/,
    )
    await world.operator().deps.recorder.flush()
    const { items } = await host.client.list(EVENTS, { namespace: world.namespace })
    expect(items.filter(({ reason }) => reason === 'SpecChanged')).toHaveLength(1)
  })

  it('bootstraps: an edit of the content rolls the pools that name it', async () => {
    await using world = await createOperatorWorld(host)
    const { namespace } = world
    const seed = { metadata: { name: 'seed', namespace }, spec: { files: {} } }
    await host.client.create(BOOTSTRAP_CONFIGS, seed)
    await world.makePool('a', { size: 1, bootstraps: [{ name: 'seed', params: {} }] })
    await world.makePool('b', { size: 1 })
    await world.untilWarm('a', 1)
    await world.untilWarm('b', 1)
    const before = { a: uids(world, 'a'), b: uids(world, 'b') }
    const body = { spec: { files: { 'notes.txt': 'password: hunter2' } } }
    await host.client.patch(BOOTSTRAP_CONFIGS, { name: 'seed', namespace }, { type: 'merge', body })
    await rolled(world, 'a', before.a)
    expect(uids(world, 'b')).toEqual(before.b)
    expect(specChanges(world)).toEqual([expect.stringContaining('a: Spec changed: bootstraps (')])
    expect(JSON.stringify(world.logs)).not.toContain('hunter2')
  })

  it('operator: another KOBE_SYNC_IMAGE after a restart rolls vkobe pools alone', async () => {
    const vkobe = Object.assign(createFakeBackend({ clock: systemClock }), { type: 'vkobe' })
    await using world = await createOperatorWorld(host, { backends: [vkobe], idle: true })
    await world.start(undefined, { syncImage: 'sync:1' })
    await world.makePool('a', { size: 1, backend: { type: 'vkobe' } })
    await world.makePool('b', { size: 1 })
    await world.untilWarm('a', 1)
    await world.untilWarm('b', 1)
    const before = { a: uids(world, 'a'), b: uids(world, 'b') }
    await world.operator().crash()
    await world.start(undefined, { syncImage: 'sync:2' })
    await rolled(world, 'a', before.a)
    expect(uids(world, 'b')).toEqual(before.b)
    expect(specChanges(world)).toEqual([
      expect.stringContaining('a: Spec changed: operator (KOBE_SYNC_IMAGE of the operator); spec hash'),
    ])
    expect(world.members('a')[0]?.status?.createdWith?.kobeSyncImage).toBe('sync:2')
    await vkobe.close()
  })

  it('workload: another renderer after a restart rolls the pools of its backend alone', async () => {
    const vkobe = Object.assign(createFakeBackend({ clock: systemClock }), { type: 'vkobe' })
    await using world = await createOperatorWorld(host, { backends: [vkobe] })
    await world.makePool('a', { size: 1 })
    await world.makePool('b', { size: 1, backend: { type: 'vkobe' } })
    await world.untilWarm('a', 1)
    await world.untilWarm('b', 1)
    const before = { a: uids(world, 'a'), b: uids(world, 'b') }
    await world.operator().crash()
    Object.assign(world.backend, { fingerprint: () => ({ renderer: 'of the next release' }) })
    await world.start()
    await rolled(world, 'a', before.a)
    expect(uids(world, 'b')).toEqual(before.b)
    expect(specChanges(world)).toEqual([
      expect.stringContaining('a: Spec changed: workload (what the backend makes of it); spec hash'),
    ])
  })

  it.each([
    ['size', { size: 2 }],
    ['ttl', { ttl: '3h' }],
    ['healthCheck', { healthCheck: { intervalSeconds: 7, failureThreshold: 2 } }],
    ['upgradePolicy', { upgradePolicy: { maxRecycling: 3, maxSurge: 2, minReadyDuringUpgrade: 0 } }],
    [
      'scaling',
      { scaling: { minReady: 1, maxClusters: 4, scaleUpThreshold: 0, scaleDownAfter: '5m', queueTimeout: '5m' } },
    ],
    ['readinessGates', { readinessGates: [{ type: 'CRDExists', name: 'nothing.example.org' }] }],
  ])('%s is none: nothing is rolled', async (_what, spec) => {
    await using world = await createOperatorWorld(host)
    await world.makePool('a', { size: 1 })
    await world.untilWarm('a', 1)
    const before = uids(world, 'a')
    const { currentSpecHash } = await world.until('status', () => world.pool('a')?.status)
    const { metadata } = await world.patchPool('a', spec)
    await world.until('it was looked at', () => world.pool('a')?.status?.observedGeneration === metadata.generation)
    await world.quiet()
    expect(world.pool('a')?.status?.currentSpecHash).toBe(currentSpecHash)
    expect(uids(world, 'a')).toEqual(expect.arrayContaining(before))
    expect(specChanges(world)).toEqual([])
  })
})

describe('a backend that this operator can render but not run', () => {
  it('has its pool hashed and stalled, says so once, and creates nothing', async () => {
    await using world = await createOperatorWorld(host, { idle: true })
    Object.assign(world.backend, { type: 'another' })
    await world.start(undefined, { renderers: [k3sRenderer] })
    await world.makePool('a', { size: 2 })
    const status = await world.until('it is stalled', () => {
      const { status: found } = world.pool('a') ?? {}
      return found?.conditions?.some(({ type, status: is }) => type === 'Stalled' && is === 'True') && found
    })
    await world.quiet()
    expect(status.specHashSources?.workload).toMatch(/^[0-9a-f]{16}$/)
    expect(world.members('a')).toEqual([])
    const hash = status.currentSpecHash
    await world.patchPool('a', { cluster: { version: 'v1.36.0' } })
    await world.until('it is hashed anew', () => world.pool('a')?.status?.currentSpecHash !== hash)
    await world.quiet()
    const said = world.logs.filter(({ level, fields }) => level === 'warn' && fields['reason'] === 'Unsupported')
    expect(said.map(({ message }) => message)).toEqual([
      'this version of Kobe cannot run clusters of backend k3s yet: nothing is created; choose another spec.backend.type',
    ])
  })
})
