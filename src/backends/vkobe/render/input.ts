/** What a vkobe member is rendered from. */
import type { Backend, ClusterTemplate, Resources } from '../../../api/v1alpha1/cluster-pool.ts'
import type { Block, RenderTarget } from '../../render/manifest.ts'

export interface VkobeInput extends RenderTarget {
  readonly backend: Backend
  readonly cluster: ClusterTemplate
  readonly resources?: Resources
  /** `KOBE_SYNC_IMAGE`. */
  readonly syncImage: string
  /** Where the KobeStore of the pool is. */
  readonly store: { readonly endpoints: readonly string[]; readonly tls: boolean }
  readonly serviceCidr?: string
}

/** Certificates and keys by file name; made once, never rendered into anything but a Secret. */
export interface VkobeSecrets {
  readonly certificates: Readonly<Record<string, string>>
  /** Client certificate for the store; with `store.tls` only. */
  readonly storeTls?: Readonly<Record<'ca.crt' | 'tls.crt' | 'tls.key', string>>
}

export interface VkobeOptions {
  readonly version: string
  readonly syncers: readonly string[]
  readonly controllers: readonly string[]
  readonly proxyPort: number
  readonly metricsPort: number
}

export const VKOBE_ROLE = 'server'
export const CERTIFICATES_DIR = '/etc/kobe/certificates'
export const STORE_TLS_DIR = '/etc/kobe/store'
export const CONFIG_DIR = '/etc/kobe/config'
/** Of the API server; it is reached through the proxy only. */
export const API_PORT = 6443
export const DEFAULT_SERVICE_CIDR = '10.243.0.0/20'

const DEFAULTS: VkobeOptions = {
  version: '1.32',
  syncers: ['pods', 'services', 'configmaps', 'secrets', 'endpoints', 'ingresses'],
  controllers: [
    'deployment',
    'replicaset',
    'statefulset',
    'daemonset',
    'job',
    'cronjob',
    'namespace',
    'serviceaccount',
    'garbagecollector',
  ],
  proxyPort: 8443,
  metricsPort: 9090,
}

/** The block of the pool with every default filled in. */
export function vkobeOptions({ backend }: VkobeInput): VkobeOptions {
  const { vkobe } = backend
  const { version, syncers, proxyPort, metricsPort } = { ...DEFAULTS, ...vkobe }
  return { version, syncers, proxyPort, metricsPort, controllers: vkobe?.kcm?.controllers ?? DEFAULTS.controllers }
}

/**
 * Namespace of the objects that a member copies to the host. Each member has its own, apart from that of the operator: what
 * may read the Secrets of one member reads nobody else's.
 */
export const guestNamespace = ({ name }: RenderTarget): string => `${name}-guest`

/** `1.32` is a line of versions, of which images have the first. */
export function imageTag(version: string): string {
  const plain = version.replace(/^v/, '')
  return /^\d+\.\d+$/.test(plain) ? `v${plain}.0` : `v${plain}`
}

/** User and group of every container of a member. */
export const GUEST_USER = 65_532

/** What every container of a member runs with. */
export const RESTRICTED: Block = {
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  runAsNonRoot: true,
  runAsUser: GUEST_USER,
  capabilities: { drop: ['ALL'] },
  seccompProfile: { type: 'RuntimeDefault' },
}
