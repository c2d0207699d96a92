/** Several operators: one leads and works, another goes on when it stops or loses the lead, and nothing is done twice. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { LEASES } from '../../../src/api/core-resources.ts'
import { createPki } from '../../../src/control-plane/index.ts'
import { type RunningOperator, startOperator } from '../../../src/operator.ts'
import { createFaultyClient, type FaultyClient } from '../../support/faulty-client.ts'
import {
  createOperatorWorld,
  type OperatorWorld,
  startWorldHost,
  type WorldHost,
} from '../../support/operator-world.ts'

let host: WorldHost
let tls: { ca: string; cert: string; key: string }
beforeAll(async () => {
  host = await startWorldHost()
  const pki = await createPki({ hosts: ['127.0.0.1'] })
  tls = { ca: pki.caCert, cert: pki.servingCert, key: pki.servingKey }
})
afterAll(() => host.stop())

interface Replica extends AsyncDisposable {
  readonly client: FaultyClient
  readonly operator: RunningOperator
}

async function startReplica(world: OperatorWorld, identity: string): Promise<Replica> {
  const client = createFaultyClient(host.client)
  const operator = await startOperator({
    client,
    namespace: world.namespace,
    identity,
    backends: [world.backend],
    listen: { host: '127.0.0.1', httpsPort: 0, httpPort: 0 },
    tls,
    installCrds: false,
    clock: world.clock,
    log: world.log,
  })
  return { client, operator, [Symbol.asyncDispose]: () => operator.stop() }
}

async function leading({ operator }: Replica): Promise<boolean> {
  const response = await fetch(`${operator.httpUrl}/metrics`)
  return /^kobe_leading 1$/m.test(await response.text())
}

const works = ({ client }: Replica) => client.writes.filter(({ kind }) => kind !== 'Lease').length

describe('of two operators', () => {
  it('one works; when it stops the other goes on at once, with the same members and leases', async () => {
    await using world = await createOperatorWorld(host, { idle: true })
    const first = await startReplica(world, 'first')
    await world.makePool('a', { size: 2 })
    await world.untilWarm('a', 2)
    await using second = await startReplica(world, 'second')
    const made = await world.makeLease('a')
    const bound = await world.untilBound(made.metadata.name!)
    await world.until('the pool is warm beside it', () => world.inPhase('a', 'Ready').length === 2)
    expect(works(second)).toBe(0)
    expect(await leading(first)).toBe(true)
    const members = world.members('a').map(({ metadata }) => metadata.uid)
    await first.operator.stop()
    world.clock.skip(3_000)
    await world.release(made.metadata.name!)
    await world.until('its member is gone', () => world.instance(bound.status!.clusterName!) === undefined)
    await world.untilWarm('a', 2)
    expect(await leading(second)).toBe(true)
    for (const { metadata } of world.members('a')) expect(members).toContain(metadata.uid)
    expect(world.history.violations).toEqual([])
  })

  it('one that lost the lead stops working, exports no series of pools, and works again when it leads again', async () => {
    await using world = await createOperatorWorld(host, { idle: true })
    await using one = await startReplica(world, 'one')
    await world.makePool('a', { size: 1 })
    await world.untilWarm('a', 1)
    const ref = { name: 'kobe-operator', namespace: world.namespace }
    const lost = world.untilLogged('stopped leading')
    const body = { spec: { holderIdentity: 'somebody else', renewTime: new Date(world.clock.now()).toISOString() } }
    await host.client.patch(LEASES, ref, { type: 'merge', body })
    world.clock.skip(3_000)
    await lost
    const before = works(one)
    await world.patchPool('a', { size: 2 })
    await world.quiet()
    expect(works(one)).toBe(before)
    const text = await (await fetch(`${one.operator.httpUrl}/metrics`)).text()
    expect(text).toMatch(/^kobe_leading 0$/m)
    expect(text.split('\n').filter((line) => line.startsWith('kobe_pool_size{'))).toEqual([])
    // The other never renews.
    const again = world.untilLogged('started leading')
    for (let count = 0; count < 10; count += 1) {
      world.clock.skip(2_500)
      await world.quiet()
      await new Promise((resolve) => setImmediate(resolve))
    }
    await again
    await world.untilWarm('a', 2)
    expect(world.history.violations).toEqual([])
  })
})
