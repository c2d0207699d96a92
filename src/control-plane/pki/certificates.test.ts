import 'reflect-metadata'
import { X509Certificate } from 'node:crypto'
import * as x509 from '@peculiar/x509'
import { describe, expect, it } from 'vitest'
import { createPki, issueClientCertificate } from './index.ts'

const HOUR_MS = 3_600_000

describe('createPki', () => {
  it('makes a CA, and certificates that it signed for the hosts and the administrator', async () => {
    const pki = await createPki({ hosts: ['10.0.0.1', 'api.example.com'], commonName: 'my-ca', validDays: 2 })
    const ca = new X509Certificate(pki.caCert)
    const serving = new X509Certificate(pki.servingCert)
    const admin = new X509Certificate(pki.adminCert)
    expect([ca.ca, serving.ca, admin.ca]).toEqual([true, false, false])
    expect([serving.verify(ca.publicKey), admin.verify(ca.publicKey)]).toEqual([true, true])
    for (const host of ['api.example.com', 'localhost']) expect(serving.checkHost(host)).toBe(host)
    for (const ip of ['10.0.0.1', '127.0.0.1']) expect(serving.checkIP(ip)).toBe(ip)
    expect(admin.subject).toBe('O=system:masters\nCN=kubernetes-admin')
    expect(ca.validFromDate.getTime()).toBeLessThanOrEqual(Date.now() - HOUR_MS + 5000)
    expect(ca.validToDate.getTime()).toBeLessThanOrEqual(Date.now() + 48 * HOUR_MS)
  })

  it('writes the issuer byte for byte as the CA writes its subject: Go compares bytes', async () => {
    const pki = await createPki({ hosts: [] })
    const subject = new x509.X509Certificate(pki.caCert).subjectName.toArrayBuffer()
    for (const cert of [pki.servingCert, pki.adminCert]) {
      const issuer = new x509.X509Certificate(cert).issuerName.toArrayBuffer()
      expect(Buffer.from(issuer).equals(Buffer.from(subject))).toBe(true)
    }
  })
})

describe('issueClientCertificate', () => {
  it('never outlives the CA', async () => {
    const { caCert, caKey } = await createPki({ hosts: [], validDays: 1 })
    const notAfter = new Date(Date.now() + 100 * 24 * HOUR_MS)
    const { cert } = await issueClientCertificate({ caCert, caKey, user: 'u', groups: [], notAfter })
    expect(new X509Certificate(cert).validTo).toBe(new X509Certificate(caCert).validTo)
  })

  it('refuses a key that is no key', async () => {
    const { caCert } = await createPki({ hosts: [] })
    await expect(issueClientCertificate({ caCert, caKey: 'x', user: 'u', groups: [] })).rejects.toThrow('not PEM')
  })
})
