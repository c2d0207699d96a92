/** What a k3s member is rendered from. */
import type { Backend, ClusterTemplate, Resources } from '../../../api/v1alpha1/cluster-pool.ts'
import type { Block, RenderTarget } from '../../render/manifest.ts'

export interface K3sInput extends RenderTarget {
  readonly backend: Backend
  readonly cluster: ClusterTemplate
  readonly resources?: Resources
  /** Default: 10.243.0.0/20 and 10.248.0.0/20, when no address plan gives each member its own. */
  readonly network?: { readonly serviceCidr: string; readonly clusterCidr: string }
}

/** The private parts of a member; made once, never rendered into anything but Secrets. */
export interface K3sSecrets {
  /** 64 hex digits. */
  readonly token: string
  /** 32 hex digits. */
  readonly nodePassword: string
  /**
   * Certificate authorities by file name, such as `server-ca.crt`. They are the operator's, so it can sign its own admin
   * certificate and nothing in the pod has to hand one out.
   */
  readonly authorities: Readonly<Record<string, string>>
  /** Connection URL with password; with an external datastore only. */
  readonly datastoreEndpoint?: string
}

export const DEFAULT_NETWORK = { serviceCidr: '10.243.0.0/20', clusterCidr: '10.248.0.0/20' }

/** What is shared by server and agent. */
export const K3S_ROLES = { server: 'server', agent: 'agent' } as const

export const k3sImage = ({ cluster }: K3sInput): string => `rancher/k3s:${cluster.version.replaceAll('+', '-')}`

export const serverHost = ({ name, namespace }: RenderTarget): string => `${name}-server.${namespace}.svc`

export const serverFqdn = (input: K3sInput): string =>
  `${serverHost(input)}.${input.cluster.clusterDomain ?? 'cluster.local'}`

export const usesDatastore = ({ backend }: K3sInput): boolean => backend.datastore !== undefined

export const agentsOf = ({ cluster }: K3sInput): number => cluster.agents ?? 0

export const hasMirrors = ({ cluster }: K3sInput): boolean => Object.keys(cluster.registryMirrors ?? {}).length > 0

/** Where the join token is mounted. */
export const TOKEN_DIR = '/var/lib/kobe/token'

/** Both k3s containers run nested containers, for which Kubernetes has no narrower setting. */
export const PRIVILEGED: Block = { privileged: true }

/** A guest never gets a credential of the host cluster. */
export const NO_HOST_CREDENTIALS: Block = { automountServiceAccountToken: false, enableServiceLinks: false }
