/** The certificate of the HTTPS listener: made once per state folder, made anew before it expires. */
import { X509Certificate } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { writePrivate } from '../client/kubeconfig-file.ts'

export interface ServingCertificate {
  /** PEM of the CA; goes into every kubeconfig. */
  readonly ca: string
  readonly cert: string
  readonly key: string
}

const FILES = { ca: 'ca.crt', cert: 'serving.crt', key: 'serving.key' } as const
/** Replaced when less than this is left, so that no lease outlives it. */
const MIN_REMAINING_MS = 30 * 24 * 3_600_000

export async function ensureServingCertificate(
  dir: string,
  hosts: readonly string[],
  now: number,
): Promise<ServingCertificate> {
  const present = readPresent(dir)
  if (present !== undefined && isUsable(present, hosts, now)) return present
  // X.509 code is large: it is loaded only when a certificate has to be made.
  const { createPki } = await import('../control-plane/index.ts')
  const pki = await createPki({ hosts, validDays: 365 })
  const made = { ca: pki.caCert, cert: pki.servingCert, key: pki.servingKey }
  for (const name of ['ca', 'cert', 'key'] as const) writePrivate(join(dir, FILES[name]), made[name])
  return made
}

function readPresent(dir: string): ServingCertificate | undefined {
  const [ca, cert, key] = (['ca', 'cert', 'key'] as const).map((name) => {
    const path = join(dir, FILES[name])
    return existsSync(path) ? readFileSync(path, 'utf8') : undefined
  })
  return ca !== undefined && cert !== undefined && key !== undefined ? { ca, cert, key } : undefined
}

function isUsable({ ca, cert }: ServingCertificate, hosts: readonly string[], now: number): boolean {
  try {
    const parsed = new X509Certificate(cert)
    const covers = hosts.every((host) => (parsed.checkHost(host) ?? parsed.checkIP(host)) !== undefined)
    return (
      covers &&
      parsed.verify(new X509Certificate(ca).publicKey) &&
      parsed.validToDate.getTime() - now > MIN_REMAINING_MS
    )
  } catch {
    // Cut short by a crash while it was written: it is made anew.
    return false
  }
}
