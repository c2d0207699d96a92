/**
 * What every backend keeps to. Run by the tests of each backend with a harness of its own; the parts that need a server
 * that really answers are run when the harness has `servers`.
 */

import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { parse, stringify } from 'yaml'
import type { Backend as BackendSpec, ClusterTemplate } from '../../src/api/v1alpha1/cluster-pool.ts'
import { type Backend, isBackendError, type MemberState, type MemberTarget } from '../../src/backends/backend.ts'
import { untilTrue } from './until.ts'

export interface BackendHarness {
  readonly spec: BackendSpec
  readonly cluster: ClusterTemplate
  /** A new instance over the same world: what an operator has after a restart. */
  open(): Promise<Backend>
  /** Only where members are real servers. */
  readonly servers?: ServerHarness
  /** Everything is removed. */
  close(): Promise<void>
}

export interface ServerHarness {
  /** Answers of one request with the admin kubeconfig; rejects when there is no answer. */
  request(kubeconfig: string, method: string, path: string, body?: unknown): Promise<{ status: number; body: unknown }>
  /** The process that hosts the member. */
  pid(name: string): Promise<number>
  /** What is left of it on the machine: files, processes, an open port. */
  leftovers(name: string): Promise<string[]>
}

const deadlineMs = 20_000
let serial = 0

export function backendContract(title: string, createHarness: () => Promise<BackendHarness>): void {
  describe(`contract of a backend: ${title}`, () => {
    let harness: BackendHarness
    let backend: Backend
    const made: MemberTarget[] = []

    const member = (changes: Partial<MemberTarget> = {}): MemberTarget => {
      serial += 1
      const { spec, cluster } = harness
      const target = {
        namespace: 'kobe-system',
        name: `pool-c-${serial}`,
        uid: `uid-${serial}`,
        backend: spec,
        cluster,
        ...changes,
      }
      made.push(target)
      return target
    }
    const state = async (target: MemberTarget, wanted: MemberState['state']) => {
      await untilTrue(
        async () => (await backend.ensure(target)).state === wanted,
        `${target.name} is ${wanted}`,
        deadlineMs,
      )
    }
    const running = async (changes: Partial<MemberTarget> = {}): Promise<MemberTarget> => {
      const target = member(changes)
      await state(target, 'Running')
      return target
    }
    const gone = (target: MemberTarget) =>
      untilTrue(async () => (await backend.destroy(target)).gone, `${target.name} is gone`, deadlineMs)

    beforeAll(async () => {
      harness = await createHarness()
      backend = await harness.open()
    })
    afterEach(async () => {
      for (const target of made.splice(0)) await gone(target)
    })
    afterAll(async () => {
      await backend.close()
      await harness.close()
    })

    describe('ensure', () => {
      test('a member becomes Running', async () => {
        await running()
      })

      test('is idempotent: calls at the same time make one member', async () => {
        const target = member()
        const states = await Promise.all([1, 2, 3].map(() => backend.ensure(target)))
        expect(states.map((answer) => answer.state)).not.toContain('Failed')
        await state(target, 'Running')
        expect((await backend.destroy(target)).remaining.length).toBeLessThanOrEqual(2)
      })

      test('tells subscribers when a member starts to answer', async () => {
        const heard: string[] = []
        const unsubscribe = backend.subscribe((name) => heard.push(name))
        const target = member()
        await backend.ensure(target)
        await untilTrue(async () => heard.includes(target.name), 'an event', deadlineMs)
        unsubscribe()
      })

      test('a name that another member holds is not taken over', async () => {
        const first = await running()
        const second = member({ name: first.name, uid: `${first.uid}-other` })
        expect((await backend.ensure(second)).state).toBe('Failed')
        expect((await backend.ensure(first)).state).toBe('Running')
      })
    })

    describe('probe', () => {
      test('a running member is healthy', async () => {
        expect(await backend.probe(await running())).toEqual({ healthy: true })
      })

      test('a member that does not exist is unhealthy, and is not made', async () => {
        const target = member()
        expect((await backend.probe(target)).healthy).toBe(false)
        expect((await backend.destroy(target)).gone).toBe(true)
      })
    })

    describe('kubeconfig', () => {
      test('of a member that does not exist is refused as NotFound', async () => {
        const error = await backend.kubeconfig(member()).catch((thrown: unknown) => thrown)
        expect(isBackendError(error, 'NotFound')).toBe(true)
      })

      test('of a running member stays the same', async () => {
        const target = await running()
        expect(await backend.kubeconfig(target)).toBe(await backend.kubeconfig(target))
      })

      test('is not given to somebody with another UID', async () => {
        const target = await running()
        const error = await backend.kubeconfig({ ...target, uid: 'somebody' }).catch((thrown: unknown) => thrown)
        expect(isBackendError(error, 'NotFound')).toBe(true)
      })
    })

    describe('destroy', () => {
      test('ends in gone, and may be repeated', async () => {
        const target = await running()
        await gone(target)
        expect(await backend.destroy(target)).toEqual({ gone: true, remaining: [] })
      })

      test('says what remains until then', async () => {
        const target = await running()
        const answer = await backend.destroy(target)
        expect(answer.gone ? answer.remaining : answer.remaining.length).not.toBe(0)
      })

      test('of a member that never existed is gone', async () => {
        expect((await backend.destroy(member())).gone).toBe(true)
      })

      test('never touches a member with another UID', async () => {
        const target = await running()
        expect((await backend.destroy({ ...target, uid: 'somebody' })).gone).toBe(true)
        expect(await backend.probe(target)).toEqual({ healthy: true })
      })

      test('works while the member starts', async () => {
        const target = member()
        await backend.ensure(target)
        await gone(target)
        expect((await backend.probe(target)).healthy).toBe(false)
      })

      test('and ensure at the same time leave nothing half-way', async () => {
        const target = member()
        await Promise.all([1, 2, 3].flatMap(() => [backend.ensure(target), backend.destroy(target)]))
        await gone(target)
        expect((await backend.probe(target)).healthy).toBe(false)
      })

      test('calls at the same time are safe', async () => {
        const target = await running()
        await Promise.all([1, 2, 3].map(() => backend.destroy(target)))
        await gone(target)
      })
    })

    test('a new instance finds running members again', async () => {
      const target = await running()
      const before = await backend.kubeconfig(target)
      const pid = await harness.servers?.pid(target.name)
      await backend.close()
      backend = await harness.open()
      expect((await backend.ensure(target)).state).toBe('Running')
      expect(await backend.kubeconfig(target)).toBe(before)
      expect(await harness.servers?.pid(target.name)).toBe(pid)
    })

    test('the fingerprint is plain JSON, the same every time, and changes with the version', () => {
      const { spec, cluster } = harness
      const print = JSON.stringify(backend.fingerprint(spec, cluster))
      expect(JSON.stringify(backend.fingerprint(spec, { ...cluster }))).toBe(print)
      expect(JSON.stringify(backend.fingerprint(spec, { ...cluster, version: 'v1.30.0' }))).not.toBe(print)
    })

    describe('a real server', () => {
      const namespace = (name: string) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } })
      const call = async (target: MemberTarget, method: string, path: string, body?: unknown) =>
        harness.servers!.request(await backend.kubeconfig(target), method, path, body)

      test('answers with its kubeconfig, and reports the version asked for', async ({ skip }) => {
        if (harness.servers === undefined) return skip('members are not servers')
        const target = await running()
        const { status, body } = await call(target, 'GET', '/version')
        expect(status).toBe(200)
        expect(body).toMatchObject({ gitVersion: harness.cluster.version })
      })

      test('sees nothing of another one, and does not trust its keys', async ({ skip }) => {
        if (harness.servers === undefined) return skip('members are not servers')
        const [one, two] = [await running(), await running()]
        expect((await call(one, 'POST', '/api/v1/namespaces', namespace('only-in-one'))).status).toBe(201)
        expect((await call(one, 'GET', '/api/v1/namespaces/only-in-one')).status).toBe(200)
        expect((await call(two, 'GET', '/api/v1/namespaces/only-in-one')).status).toBe(404)
        const mixed = mixKubeconfigs(await backend.kubeconfig(one), await backend.kubeconfig(two))
        const answer = await harness.servers.request(mixed, 'GET', '/api/v1/namespaces').catch(() => ({ status: 401 }))
        expect([401, 403]).toContain(answer.status)
      })

      test('leaves no process, file or port', async ({ skip }) => {
        if (harness.servers === undefined) return skip('members are not servers')
        const target = await running()
        expect((await harness.servers.leftovers(target.name)).length).toBeGreaterThan(1)
        await gone(target)
        expect(await harness.servers.leftovers(target.name)).toEqual([])
      })

      test('comes back with its data, address and keys when its process is killed', async ({ skip }) => {
        if (harness.servers === undefined) return skip('members are not servers')
        if (harness.spec.embedded?.storage === 'memory') return skip('nothing is kept')
        const target = await running()
        const before = await backend.kubeconfig(target)
        expect((await call(target, 'POST', '/api/v1/namespaces', namespace('kept'))).status).toBe(201)
        const pid = await harness.servers.pid(target.name)
        process.kill(pid, 'SIGKILL')
        await untilTrue(
          async () => (await backend.probe(target)).healthy && (await harness.servers!.pid(target.name)) !== pid,
          'it is back',
          deadlineMs,
        )
        expect(await backend.kubeconfig(target)).toBe(before)
        expect((await call(target, 'GET', '/api/v1/namespaces/kept')).status).toBe(200)
      })
    })
  })
}

/** Address and CA of the first, user of the second. */
function mixKubeconfigs(first: string, second: string): string {
  const [one, two] = [first, second].map((text) => parse(text) as { users: { name: string; user: object }[] })
  const users = two!.users.map(({ user }, index) => ({ name: one!.users[index]!.name, user }))
  return stringify({ ...one, users })
}
