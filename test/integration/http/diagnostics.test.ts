/** Diagnostics of a lease, and a lease that belongs to somebody: real controllers over a real API server. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { CONFIG_MAPS, SECRETS } from '../../../src/api/core-resources.ts'
import { connectTokenSecretName } from '../../../src/api/v1alpha1/labels.ts'
import { systemClock } from '../../../src/kube/clock.ts'
import { silentLog } from '../../../src/kube/log.ts'
import { type DiagnosticsDirectory, openDiagnostics } from '../../../src/operator-diagnostics.ts'
import {
  CLUSTER_LEASES,
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

const OWNER = 'ci/ci'
const PASSWORD = 'hunter2-in-the-cluster'

/** Members are the host itself: a cluster that answers. */
async function worldWithDiagnostics(): Promise<{ world: OperatorWorld; store: DiagnosticsDirectory }> {
  const dir = mkdtempSync(join(tmpdir(), 'kobe-diagnostics-'))
  const store = openDiagnostics({ dir, clock: systemClock, log: silentLog })
  const world = await createOperatorWorld(host, { idle: true })
  world.backend.kubeconfig = async () => host.kubeconfig
  await world.start(undefined, { diagnostics: store })
  onTestFinished(async () => {
    store.close()
    await world[Symbol.asyncDispose]()
    rmSync(dir, { recursive: true, force: true })
  })
  return { world, store }
}

async function boundLease(world: OperatorWorld, spec: object = {}): Promise<string> {
  await world.makePool('a', { size: 1 })
  await world.untilWarm('a', 1)
  const { metadata } = await world.makeLease('a', spec)
  await world.untilBound(metadata.name!)
  return metadata.name!
}

const gone = (world: OperatorWorld, name: string) =>
  world.until(`${name} is gone`, () => world.lease(name) === undefined || false)

describe('diagnostics that a lease asks for', () => {
  it('are there when the lease is released, outlive it, and hold no secret', async () => {
    const { world, store } = await worldWithDiagnostics()
    await host.client.create(SECRETS, {
      metadata: { name: 'database', namespace: world.namespace },
      data: { password: Buffer.from(PASSWORD).toString('base64') },
    })
    const name = await boundLease(world, { diagnostics: true })
    const token = await host.client.get(SECRETS, { name: connectTokenSecretName(name), namespace: world.namespace })
    await world.release(name)
    await gone(world, name)
    const found = await store.find(name, OWNER)
    const bundle = (await json(await found!.open())) as Record<string, Record<string, unknown>>
    expect(bundle).toMatchObject({ lease_id: name, pool: 'a', lease: { status: { phase: 'Released' } } })
    expect(Object.keys(bundle['resources']!)).toContain('events')
    const text = JSON.stringify(bundle)
    for (const secret of [PASSWORD, token.data!['token']!, 'client-key-data', host.kubeconfig.slice(-80)]) {
      expect(text).not.toContain(secret)
      expect(text).not.toContain(Buffer.from(secret).toString('base64'))
      expect(text).not.toContain(Buffer.from(secret, 'base64').toString())
    }
  })

  it('are made also when the lease is deleted by hand, and nobody gets in meanwhile', async () => {
    const { world, store } = await worldWithDiagnostics()
    const name = await boundLease(world, { diagnostics: true })
    await host.client.delete(CLUSTER_LEASES, { name, namespace: world.namespace })
    await gone(world, name)
    expect(await store.find(name, OWNER)).toBeDefined()
  })

  it('never keep a lease whose cluster does not answer', async () => {
    const { world, store } = await worldWithDiagnostics()
    const name = await boundLease(world, { diagnostics: true })
    world.backend.kubeconfig = () => Promise.reject(new Error('broken'))
    await world.release(name)
    await gone(world, name)
    expect(await store.find(name, OWNER)).toBeUndefined()
  })
})

describe('a lease with an owner', () => {
  it('is released when the owner goes: its token goes, its member is replaced, then it goes itself', async () => {
    await using world = await createOperatorWorld(host)
    const { metadata: owner } = await host.client.create(CONFIG_MAPS, {
      metadata: { name: 'run-4711', namespace: world.namespace },
    })
    const name = await boundLease(world)
    const member = world.lease(name)!.status!.clusterName!
    const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: owner.name!, uid: owner.uid! }]
    const ref = { name, namespace: world.namespace }
    await host.client.patch(CLUSTER_LEASES, ref, { type: 'merge', body: { metadata: { ownerReferences } } })
    await world.until('the lease is marked', () => (world.lease(name)?.metadata.finalizers ?? []).length > 0)
    const phases: string[] = []
    world.caches.leases.on(({ object }) => object.metadata.name === name && phases.push(object.status?.phase ?? ''))
    await host.client.delete(CONFIG_MAPS, { name: owner.name!, namespace: world.namespace })
    await gone(world, name)
    expect(phases).toContain('Released')
    expect(world.caches.secrets.get(world.namespace, connectTokenSecretName(name))).toBeUndefined()
    await world.until('the used member is replaced', () => {
      const [ready] = world.inPhase('a', 'Ready')
      return ready !== undefined && ready.metadata.name !== member && world.members('a').length === 1
    })
  })
})
