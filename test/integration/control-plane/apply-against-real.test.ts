/** Server-side apply and the owners of fields, as a real API server answers them: recorded, and live where one is at hand. */
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasRealPair, type RealPair, startRealPair } from '../../support/real-pair.ts'
import { APPLY_CASES, type Golden, prepare, senderTo } from './apply-cases.ts'
import { runCase, type Send } from './apply-steps.ts'
import { ADMIN_TOKEN, startTestServer, type TestServer } from './harness.ts'

const golden: Golden = JSON.parse(readFileSync(new URL('./apply.fixture.json', import.meta.url), 'utf8'))

it('has a recorded answer to every case, and no others', () => {
  expect(Object.keys(golden.answers)).toEqual(APPLY_CASES.map(({ name }) => name))
})

describe('the embedded server answers as the recorded one', () => {
  let server: TestServer
  let send: Send
  beforeAll(async () => {
    server = await startTestServer()
    send = senderTo({ url: server.controlPlane.url, token: ADMIN_TOKEN, caPem: server.pki.caCert })
    await prepare(send)
  })
  afterAll(() => server.close())

  it.each(APPLY_CASES)('$name', async (applyCase) => {
    expect(await runCase(applyCase, send)).toEqual(golden.answers[applyCase.name])
    expect(server.errors).toEqual([])
  })
})

describe.skipIf(!hasRealPair)('the real server still answers as recorded', () => {
  let pair: RealPair
  let send: Send
  beforeAll(async () => {
    pair = await startRealPair()
    send = senderTo(pair)
    await prepare(send)
  })
  afterAll(() => pair?.stop())

  it.each(APPLY_CASES)('$name', async (applyCase) => {
    expect(await runCase(applyCase, send)).toEqual(golden.answers[applyCase.name])
  })
})
