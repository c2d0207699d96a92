/**
 * Decisions about access, reviews of them and errors, compared with those of a real kube-apiserver. Its answers are kept in
 * `rbac-answers.fixture.json`, so that the comparison runs without it; where the programs are, the record itself is checked.
 * `npx vitest run -u` on this file renews it - from the real server only.
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { assetsDir } from '../../../scripts/assets/real-pair.ts'
import { hasRealPair, type RealPair, startRealPair } from '../../support/real-pair.ts'
import { ROOT, type Running, start } from '../../support/run.ts'
import { ADMIN_TOKEN, startTestServer, type TestServer } from './harness.ts'
import { CASES } from './rbac-cases.ts'
import { AccessProbe } from './rbac-target.ts'

const RECORD = join(import.meta.dirname, 'rbac-answers.fixture.json')
const DEFAULTS = join(ROOT, 'src/control-plane/generated/rbac-defaults.json')
const record = async () => JSON.parse(await readFile(RECORD, 'utf8'))
const all = async (probe: AccessProbe) => {
  const answers: Record<string, unknown> = {}
  for (const [topic, cases] of Object.entries(CASES)) answers[topic] = await probe.answers(cases)
  return answers
}

/** One object a line. */
const lines = (objects: Record<string, unknown[]>) =>
  `{\n${Object.entries(objects)
    .map(([plural, items]) => `"${plural}":[\n${items.map((item) => JSON.stringify(item)).join(',\n')}\n]`)
    .join(',\n')}\n}\n`

describe('access as the real server decides it', () => {
  let server: TestServer
  let probe: AccessProbe
  beforeAll(async () => {
    server = await startTestServer()
    const { url } = server.controlPlane
    const issuer = 'https://kubernetes.default.svc.cluster.local'
    probe = new AccessProbe({ url, ca: server.pki.caCert, adminToken: ADMIN_TOKEN, issuer })
    await probe.prepare()
  })
  afterAll(async () => {
    probe.close()
    await server.close()
  })

  it.each(Object.keys(CASES))('%s', async (topic) => {
    const expected = (await record())[topic]
    expect(Object.keys(expected).length).toBe(CASES[topic]?.length)
    expect(await probe.answers(CASES[topic] ?? [])).toEqual(expected)
    expect(server.errors).toEqual([])
  })

  it('is compared in at least 60 decisions', () => {
    expect(Object.values(CASES).flat().length).toBeGreaterThan(60)
  })
})

describe.skipIf(!hasRealPair)('the record', () => {
  let pair: RealPair
  let controllers: Running
  beforeAll(async () => {
    pair = await startRealPair()
    // It fills aggregated roles.
    controllers = start(join(assetsDir(ROOT) ?? '', 'kube-controller-manager'), [
      `--kubeconfig=${pair.kubeconfigPath}`,
      '--controllers=clusterrole-aggregation-controller',
      '--leader-elect=false',
      '--secure-port=0',
      '--use-service-account-credentials=false',
    ])
  })
  afterAll(async () => {
    controllers.child.kill('SIGKILL')
    await controllers.exited
    await pair.stop()
  })

  it('is what the real server answers now, and so are the default roles', async () => {
    const probe = new AccessProbe({ url: pair.url, ca: pair.caPem, adminToken: pair.token, issuer: pair.url })
    try {
      await probe.prepare()
      await expect(`${JSON.stringify(await all(probe), undefined, 1)}\n`).toMatchFileSnapshot(RECORD)
      await expect(lines(await probe.defaults())).toMatchFileSnapshot(DEFAULTS)
    } finally {
      probe.close()
    }
  }, 120_000)
})
