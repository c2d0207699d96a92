/** ECDSA P-256 certificates, as a kubeadm cluster has them: one CA, a serving certificate, client certificates. */
import 'reflect-metadata'
import { webcrypto } from 'node:crypto'
import { isIP } from 'node:net'
import * as x509 from '@peculiar/x509'
import type { Pki } from '../options.ts'

export interface PkiOptions {
  /** Common name of the CA. Default `kubernetes`. */
  readonly commonName?: string
  /** Names and IP addresses the serving certificate is for. `127.0.0.1` and `localhost` are always in it. */
  readonly hosts: readonly string[]
  /** Default 3650. */
  readonly validDays?: number
}

export interface ClientCertificateRequest {
  readonly caCert: string
  readonly caKey: string
  readonly user: string
  readonly groups: readonly string[]
  /** Default: as long as the CA. Never later than that. */
  readonly notAfter?: Date
}

export interface IssuedCertificate {
  readonly cert: string
  readonly key: string
}

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const
const DAY_MS = 86_400_000
/** Clocks of client and server may differ. */
const BACKDATED_MS = 3_600_000
const DEFAULT_VALID_DAYS = 3650

export async function createPki(options: PkiOptions): Promise<Pki> {
  const authority = await createAuthority(options)
  const serving = await issue(authority, {
    name: nameOf('kube-apiserver', []),
    notAfter: authority.cert.notAfter,
    extensions: [
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension(alternativeNames(options.hosts)),
    ],
  })
  const admin = await issueClient(authority, 'kubernetes-admin', ['system:masters'], authority.cert.notAfter)
  return {
    caCert: pem(authority.cert),
    caKey: await keyPem(authority.privateKey),
    servingCert: serving.cert,
    servingKey: serving.key,
    adminCert: admin.cert,
    adminKey: admin.key,
    serviceAccountKey: await keyPem((await newKeys()).privateKey),
  }
}

/** @throws Error when `caCert` or `caKey` is not the PEM of a CA of ours */
export async function issueClientCertificate(request: ClientCertificateRequest): Promise<IssuedCertificate> {
  const cert = new x509.X509Certificate(request.caCert)
  const privateKey = await importKey(request.caKey)
  const last = cert.notAfter
  const notAfter = request.notAfter !== undefined && request.notAfter < last ? request.notAfter : last
  return await issueClient({ cert, privateKey }, request.user, request.groups, notAfter)
}

interface Authority {
  readonly cert: x509.X509Certificate
  readonly privateKey: webcrypto.CryptoKey
}

async function createAuthority({
  commonName = 'kubernetes',
  validDays = DEFAULT_VALID_DAYS,
}: PkiOptions): Promise<Authority> {
  const keys = await newKeys()
  const now = Date.now()
  const cert = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: serialNumber(),
    name: nameOf(commonName, []),
    notBefore: new Date(now - BACKDATED_MS),
    notAfter: new Date(now + validDays * DAY_MS),
    signingAlgorithm: ALGORITHM,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(
        x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.digitalSignature | x509.KeyUsageFlags.cRLSign,
        true,
      ),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  })
  return { cert, privateKey: keys.privateKey }
}

function issueClient(
  authority: Authority,
  user: string,
  groups: readonly string[],
  notAfter: Date,
): Promise<IssuedCertificate> {
  const usage = new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.clientAuth])
  return issue(authority, { name: nameOf(user, groups), notAfter, extensions: [usage] })
}

interface Leaf {
  readonly name: x509.Name
  readonly notAfter: Date
  readonly extensions: readonly x509.Extension[]
}

async function issue(authority: Authority, leaf: Leaf): Promise<IssuedCertificate> {
  const keys = await newKeys()
  const cert = await x509.X509CertificateGenerator.create({
    serialNumber: serialNumber(),
    subject: leaf.name,
    // The name itself, not its text: Go compares the bytes, and the text would be encoded anew.
    issuer: authority.cert.subjectName,
    notBefore: new Date(Date.now() - BACKDATED_MS),
    notAfter: leaf.notAfter,
    signingAlgorithm: ALGORITHM,
    publicKey: keys.publicKey,
    signingKey: authority.privateKey,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      ...leaf.extensions,
      await x509.AuthorityKeyIdentifierExtension.create(authority.cert.publicKey),
    ],
  })
  return { cert: pem(cert), key: await keyPem(keys.privateKey) }
}

function newKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify'])
}

/** The CN is the user, each O a group; as structured names, so that no character in them is taken for syntax. */
function nameOf(commonName: string, organisations: readonly string[]): x509.Name {
  return new x509.Name([
    ...organisations.map((name) => ({ O: [{ utf8String: name }] })),
    { CN: [{ utf8String: commonName }] },
  ])
}

function alternativeNames(hosts: readonly string[]): x509.JsonGeneralNames {
  const all = new Set([...hosts, '127.0.0.1', 'localhost'])
  return [...all].map((value) => ({ type: isIP(value) === 0 ? 'dns' : 'ip', value }))
}

/** 16 random bytes; the leading one keeps the number positive and of full length. */
function serialNumber(): string {
  return `4${Buffer.from(webcrypto.getRandomValues(new Uint8Array(16)))
    .toString('hex')
    .slice(1)}`
}

/** X.509 tools expect the line feed at the end. */
function pem(cert: x509.X509Certificate): string {
  return `${cert.toString('pem').trim()}\n`
}

async function keyPem(key: webcrypto.CryptoKey): Promise<string> {
  const der = await webcrypto.subtle.exportKey('pkcs8', key)
  return `${x509.PemConverter.encode(der, 'PRIVATE KEY').trim()}\n`
}

function importKey(text: string): Promise<webcrypto.CryptoKey> {
  const [der] = x509.PemConverter.decode(text)
  if (der === undefined) throw new Error('the CA key is not PEM')
  return webcrypto.subtle.importKey('pkcs8', der, ALGORITHM, true, ['sign'])
}
