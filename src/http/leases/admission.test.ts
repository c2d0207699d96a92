import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createHttpWorld, type HttpWorld, NAMESPACE, TOKEN } from '../../../test/support/http-world.ts'
import { CLUSTER_LEASES } from '../../api/v1alpha1/resources.ts'
import { requesterKey } from '../auth/principal.ts'
import { createAdmissionRecords } from './admission-record.ts'

let world: HttpWorld
beforeEach(async () => {
  world = await createHttpWorld()
  await world.pool('ci-small')
  await world.synced()
})
afterEach(() => world[Symbol.asyncDispose]())

describe('a request that another replica admitted and never created', () => {
  it('is carried out by the replica that is asked with the same key, in the place that it holds already', async () => {
    const headers = { 'idempotency-key': 'build-7' }
    const ask = () => world.call('POST', '/v1/leases', { profile: 'ci-small' }, headers)
    const { body } = await ask()
    const ref = { name: body.id, namespace: NAMESPACE }
    const { spec } = await world.kube.get(CLUSTER_LEASES, ref)
    // What a replica leaves that dies between the record and the lease; two other places of three are taken.
    await world.kube.delete(CLUSTER_LEASES, ref)
    await world.call('POST', '/v1/leases', { profile: 'ci-small' })
    await world.call('POST', '/v1/leases', { profile: 'ci-small' })
    const records = createAdmissionRecords(world.kube, NAMESPACE)
    const key = requesterKey(spec.requester)
    const record = await records.read(key)
    await records.write(key, record, [...record.entries, { id: 'dead', lease: body.id, at: Date.now() }])
    await world.synced()
    const again = await ask()
    expect(again).toMatchObject({ status: 202, body: { id: body.id } })
    expect((await world.kube.list(CLUSTER_LEASES)).items).toHaveLength(3)
    expect(await world.call('POST', '/v1/leases', { profile: 'ci-small' })).toMatchObject({ status: 429 })
  })
})

describe('admission with nobody else about', () => {
  const ask = (via = world.app) =>
    via.inject({
      method: 'POST',
      url: '/v1/leases',
      headers: { authorization: `Bearer ${TOKEN}` },
      payload: { profile: 'ci-small' },
    })

  it('costs the record and the lease, and reads nothing', async () => {
    await ask()
    await world.synced()
    world.kube.calls.length = 0
    expect((await ask()).statusCode).toBe(202)
    expect(world.kube.calls.map(({ verb, resource }) => `${verb} ${resource}`)).toEqual([
      'replace configmaps',
      'create kobe.kunobi.ninja/clusterleases',
    ])
  })

  it('takes no place that another replica has given away since', async () => {
    const other = await world.replica()
    await ask()
    await world.synced()
    const answers = [await ask(other), await ask(other), await ask(), await ask()]
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([202, 202, 429, 429])
    expect((await world.kube.list(CLUSTER_LEASES)).items).toHaveLength(3)
  })

  it('gives the place of a lease that has come and gone to the next request', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { id } = (await ask()).json()
      await world.kube.delete(CLUSTER_LEASES, { name: id, namespace: NAMESPACE })
    }
    const answers = [await ask(), await ask(), await ask(), await ask()]
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([202, 202, 202, 429])
  })
})
