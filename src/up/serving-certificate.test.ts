import { X509Certificate } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { ensureServingCertificate } from './serving-certificate.ts'

const HOSTS = ['127.0.0.1', 'localhost']
const DAY_MS = 86_400_000
let dir: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'kobe-tls-'))
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

test('it is made once, is private, and is the same at the next start', async () => {
  const first = await ensureServingCertificate(dir, HOSTS, Date.now())
  expect(await ensureServingCertificate(dir, HOSTS, Date.now())).toEqual(first)
  expect(statSync(join(dir, 'serving.key')).mode & 0o777).toBe(0o600)
  expect(new X509Certificate(first.cert).checkIP('127.0.0.1')).toBe('127.0.0.1')
})

test.each([
  ['it covers another address now', [...HOSTS, '10.1.2.3'], 0],
  ['it is about to expire', HOSTS, 340 * DAY_MS],
])('it is made anew when %s', async (_why, hosts, laterMs) => {
  const first = await ensureServingCertificate(dir, HOSTS, Date.now())
  const second = await ensureServingCertificate(dir, hosts, Date.now() + laterMs)
  expect(second.cert).not.toBe(first.cert)
})

test('a file cut short by a crash is made anew', async () => {
  const { cert } = await ensureServingCertificate(dir, HOSTS, Date.now())
  writeFileSync(join(dir, 'serving.crt'), cert.slice(0, 100))
  await ensureServingCertificate(dir, HOSTS, Date.now())
  expect(readFileSync(join(dir, 'serving.crt'), 'utf8')).not.toBe(cert.slice(0, 100))
})
