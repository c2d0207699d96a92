/** Certificates and kubeconfigs. Only who makes them loads the X.509 code; a server gets PEM. */
import type { Pki } from '../options.ts'
import type { ClientCertificateRequest, IssuedCertificate, PkiOptions } from './certificates.ts'

export type { ClientCertificateRequest, IssuedCertificate, PkiOptions } from './certificates.ts'
export { type KubeconfigOptions, renderKubeconfig } from './kubeconfig.ts'

/** A new CA with a serving and an admin certificate. */
export async function createPki(options: PkiOptions): Promise<Pki> {
  const certificates = await import('./certificates.ts')
  return await certificates.createPki(options)
}

/** A further client certificate of a CA made by `createPki`. */
export async function issueClientCertificate(request: ClientCertificateRequest): Promise<IssuedCertificate> {
  const certificates = await import('./certificates.ts')
  return await certificates.issueClientCertificate(request)
}
