/** A CA and the certificates it signs, for TLS tests. */
import 'reflect-metadata'
import type { webcrypto } from 'node:crypto'
import * as x509 from '@peculiar/x509'

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
const HOUR_MS = 3_600_000

export interface TestCertificates {
  readonly ca: string
  /** For 127.0.0.1 and localhost. */
  readonly server: { readonly cert: string; readonly key: string }
  readonly client: { readonly cert: string; readonly key: string }
}

async function pemKey(keys: webcrypto.CryptoKeyPair): Promise<string> {
  return x509.PemConverter.encode(await crypto.subtle.exportKey('pkcs8', keys.privateKey), 'PRIVATE KEY')
}

function generateKeys(): Promise<webcrypto.CryptoKeyPair> {
  return crypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']) as Promise<webcrypto.CryptoKeyPair>
}

/** They end in an hour; a negative number: so many milliseconds ago. */
export async function createTestCertificates(endsInMs = HOUR_MS): Promise<TestCertificates> {
  const validity = { notBefore: new Date(Date.now() - 2 * HOUR_MS), notAfter: new Date(Date.now() + endsInMs) }
  const caKeys = await generateKeys()
  const ca = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: '01',
    name: 'CN=test-ca',
    ...validity,
    signingAlgorithm: ALGORITHM,
    keys: caKeys,
    extensions: [new x509.BasicConstraintsExtension(true, 1, true)],
  })
  const sign = async (subject: string, serialNumber: string) => {
    const keys = await generateKeys()
    const certificate = await x509.X509CertificateGenerator.create({
      serialNumber,
      subject,
      issuer: ca.subject,
      ...validity,
      signingAlgorithm: ALGORITHM,
      publicKey: keys.publicKey,
      signingKey: caKeys.privateKey,
      extensions: [
        new x509.SubjectAlternativeNameExtension([
          { type: 'ip', value: '127.0.0.1' },
          { type: 'dns', value: 'localhost' },
        ]),
      ],
    })
    return { cert: certificate.toString('pem'), key: await pemKey(keys) }
  }
  return {
    ca: ca.toString('pem'),
    server: await sign('CN=server', '02'),
    client: await sign('CN=kubernetes-admin,O=system:masters', '03'),
  }
}
