/** The rules of our own CRDs, enforced by the embedded server over real HTTPS; and what they cost. */
import { readdir, readFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { validateRules, validateRuleTexts } from '../../../src/control-plane/cel/load.ts'
import { ROOT } from '../../support/run.ts'
import { say } from '../../support/say.ts'
import { startTestServer, type TestServer } from './harness.ts'

const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const KOBE = '/apis/kobe.kunobi.ninja/v1alpha1/namespaces/default'

// biome-ignore lint/suspicious/noExplicitAny: parsed YAML.
type Crd = any

let server: TestServer
let crds: Crd[]

beforeAll(async () => {
  const directory = `${ROOT}/deploy/crds`
  const files = (await readdir(directory)).filter((name) => name.startsWith('kobe.'))
  crds = await Promise.all(files.map(async (name) => parse(await readFile(`${directory}/${name}`, 'utf8'))))
  server = await startTestServer()
  for (const crd of crds) expect((await server.post(CRDS, crd)).status).toBe(201)
})

afterAll(() => server.close())

const LEASE = {
  apiVersion: 'kobe.kunobi.ninja/v1alpha1',
  kind: 'ClusterLease',
  metadata: { name: 'lease-a' },
  spec: { poolRef: 'small', ttl: '1h', requester: { type: 'user', identity: 'alice' } },
}

describe('a ClusterLease', () => {
  it('is created under its rules', async () => {
    const created = await server.post(`${KOBE}/clusterleases`, LEASE)
    expect([created.status, created.json]).toEqual([201, expect.objectContaining({ kind: 'ClusterLease' })])
  })

  it.each([
    ['poolRef', { poolRef: 'large' }, 'poolRef is immutable: release this lease and request another'],
    ['ttl', { ttl: '2h' }, 'ttl is immutable: extend the lease instead'],
    [
      'requester',
      { requester: { type: 'user', identity: 'bob' } },
      'requester is immutable: release this lease and request another',
    ],
    [
      'cleanupMode',
      { cleanupMode: 'VerifiedDestroy' },
      'cleanupMode is immutable: it is chosen when the lease is created',
    ],
    ['allowStale', { allowStale: false }, 'allowStale is immutable: release this lease and request another'],
    ['alias', { alias: 'mine' }, 'alias is immutable: release this lease and request another'],
  ])('keeps its %s', async (field, spec, message) => {
    const reply = await server.patch(`${KOBE}/clusterleases/lease-a`, { spec })
    expect(reply.status).toBe(422)
    expect(reply.json.details.causes).toEqual([
      { reason: 'FieldValueForbidden', field: `spec.${field}`, message: `Forbidden: ${message}` },
    ])
  })

  it('may change what no rule holds', async () => {
    const reply = await server.patch(`${KOBE}/clusterleases/lease-a`, { spec: { priority: 60 } })
    expect(reply.status).toBe(200)
  })
})

describe('diagnostics of a ClusterPool', () => {
  const write = (diagnostics: object, name: string) =>
    server.post(`${KOBE}/clusterpools`, {
      apiVersion: LEASE.apiVersion,
      kind: 'ClusterPool',
      metadata: { name },
      spec: { backend: { type: 'embedded' }, cluster: { version: 'v1.36.0' }, diagnostics },
    })

  it.each([
    ['storage', { storage: 's3://bucket/prefix' }, 'downloaded with kobe diagnostics. Leave storage out'],
    ['includeSecrets', { includeSecrets: true }, 'Set it to false'],
  ])('that ask for %s, which nothing does, are refused with a way out', async (field, asked, wayOut) => {
    const { status, json } = await write({ enabled: true, ...asked }, 'refused')
    expect(status).toBe(422)
    expect(json.details.causes).toEqual([
      {
        reason: 'FieldValueForbidden',
        field: `spec.diagnostics.${field}`,
        message: expect.stringContaining(`diagnostics.${field} is not supported: `),
      },
    ])
    expect(json.details.causes[0].message).toContain(wayOut)
  })

  it('that are off may have them, as manifests of other operators do', async () => {
    expect((await write({ storage: 's3://bucket/prefix', includeSecrets: true }, 'off')).status).toBe(201)
    expect((await write({ enabled: true, retentionDays: 1 }, 'on')).status).toBe(201)
  })
})

describe('other kinds', () => {
  it('a ClusterInstance needs a pool, or a backend and cluster of its own', async () => {
    const { apiVersion } = LEASE
    const reply = await server.post(`${KOBE}/clusterinstances`, {
      apiVersion,
      kind: 'ClusterInstance',
      metadata: { name: 'a' },
      spec: {},
    })
    expect(reply.status).toBe(422)
    expect(reply.json.details.causes).toContainEqual({
      reason: 'FieldValueRequired',
      field: 'spec',
      message: 'Required value: an instance needs poolRef, or backend and cluster of its own',
    })
  })
})

describe('cost', () => {
  it('of compiling and evaluating is told', () => {
    const started = performance.now()
    for (const crd of crds) {
      const schema = crd.spec.versions[0].schema.openAPIV3Schema
      expect(validateRuleTexts(schema, 'schema')).toEqual([])
    }
    const compiling = performance.now() - started
    const crd = crds.find(({ spec }) => spec.names.kind === 'ClusterLease')
    const schema = crd.spec.versions[0].schema.openAPIV3Schema
    const next = { ...LEASE, spec: { ...LEASE.spec, priority: 60 } }
    const rounds = 500
    for (let round = 0; round < rounds; round += 1) expect(validateRules(schema, next, [], LEASE)).toHaveLength(0)
    const begun = performance.now()
    for (let round = 0; round < rounds; round += 1) validateRules(schema, next, [], LEASE)
    const each = ((performance.now() - begun) / rounds) * 1000
    say(
      `rules of ${crds.length} CRDs checked in ${compiling.toFixed(1)} ms; ${each.toFixed(1)} us per write of a ClusterLease`,
    )
  })
})
