import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createHttpWorld, type HttpWorld, NAMESPACE } from '../../../test/support/http-world.ts'
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
