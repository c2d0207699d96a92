import { describe, expect, test } from 'vitest'
import { backendContract } from '../../../test/contract/backend-contract.ts'
import { systemClock } from '../../kube/clock.ts'
import type { MemberTarget } from '../backend.ts'
import { createFakeBackend, type FakeWorld } from './fake-backend.ts'

const spec: MemberTarget['backend'] = { type: 'embedded' }
const cluster: MemberTarget['cluster'] = { version: 'v1.36.0', servers: 1, serverArgs: [] }

backendContract('fake', async () => {
  const world: FakeWorld = new Map()
  return {
    spec,
    cluster,
    open: async () => createFakeBackend({ clock: systemClock, world, provisionMs: 20, destroyMs: 20 }),
    close: async () => expect([...world.keys()]).toEqual([]),
  }
})

describe('the fake backend', () => {
  const target: MemberTarget = { namespace: 'kobe-system', name: 'pool-a-1', uid: 'u1', backend: spec, cluster }
  const other = { ...target, name: 'pool-a-2', uid: 'u2' }

  test('writes down every call', async () => {
    const backend = createFakeBackend({ clock: systemClock })
    await backend.ensure(target)
    await backend.probe(target)
    await backend.destroy(target)
    expect(backend.calls.map(({ method, name }) => `${method} ${name}`)).toEqual([
      'ensure pool-a-1',
      'probe pool-a-1',
      'destroy pool-a-1',
    ])
  })

  test('fails as often as it is told to', async () => {
    const backend = createFakeBackend({ clock: systemClock })
    backend.failNext('ensure', new Error('no answer'), 2)
    await expect(backend.ensure(target)).rejects.toThrow('no answer')
    await expect(backend.ensure(target)).rejects.toThrow('no answer')
    expect((await backend.ensure(target)).state).toBe('Running')
  })

  test('is full when it is told to', async () => {
    const backend = createFakeBackend({ clock: systemClock, maxMembers: 1 })
    await backend.ensure(target)
    expect((await backend.ensure(other)).state).toBe('Unschedulable')
    backend.setMaxMembers(2)
    expect((await backend.ensure(other)).state).toBe('Running')
  })

  test('answers the state and the health that it is given', async () => {
    const backend = createFakeBackend({ clock: systemClock })
    backend.setState(target.name, { state: 'Failed', message: 'broken' })
    expect(await backend.ensure(target)).toEqual({ state: 'Failed', message: 'broken' })
    backend.setState(target.name, undefined)
    backend.setHealth(target.name, { healthy: false, message: 'TLS' })
    expect(await backend.probe(target)).toEqual({ healthy: false, message: 'TLS' })
    backend.setHealth(target.name, undefined)
    expect(await backend.probe(target)).toEqual({ healthy: true })
  })

  test('a held destroy never ends', async () => {
    const backend = createFakeBackend({ clock: systemClock })
    await backend.ensure(target)
    backend.holdDestroy(target.name, true)
    expect((await backend.destroy(target)).gone).toBe(false)
    backend.holdDestroy(target.name, false)
    expect((await backend.destroy(target)).gone).toBe(true)
  })
})
