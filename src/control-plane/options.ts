/** What `startControlPlane` takes and gives. */

export interface ControlPlaneOptions {
  /** Address to listen on. Default `127.0.0.1`. */
  readonly host?: string
  /** Default 0: the system picks one; `ControlPlane.port` says which. */
  readonly port?: number
  /** What `/version` reports, such as `v1.36.3`. Default: the version that the built-in schemas were generated from. */
  readonly version?: string
  /** `sqlite`: one file, WAL; every acknowledged write survives a kill. `memory`: nothing is kept. */
  readonly storage: { readonly type: 'memory' } | { readonly type: 'sqlite'; readonly path: string }
  /** Serving certificate and key, PEM. `createPki` makes them; a parent process makes them once and passes them on. */
  readonly tls: { readonly cert: string; readonly key: string }
  /** CA (PEM) whose client certificates are trusted: CN is the user, each O a group. Also published as `kube-root-ca.crt` data. */
  readonly clientCa: string
  /** Static bearer tokens. */
  readonly tokens?: readonly TokenRecord[]
  /**
   * Private key (PKCS #8 PEM; EC P-256 or RSA) that tokens of ServiceAccounts are signed with. Default: one that is made
   * when it is first needed and kept in the storage.
   */
  readonly serviceAccountKey?: string
  /** Give every namespace the ConfigMap `kube-root-ca.crt` and the ServiceAccount `default`, as a controller manager would. Default true. */
  readonly furnishNamespaces?: boolean
  /** How many past events a watch may resume from, per resource, before it is told 410. Default 1024. */
  readonly watchHistory?: number
  /** Called for failures that no request can report (a broken background step). Default: nothing. */
  readonly onError?: (error: unknown, context: string) => void
}

export interface TokenRecord {
  readonly token: string
  readonly user: string
  readonly groups: readonly string[]
}

export interface ControlPlane {
  readonly host: string
  readonly port: number
  /** `https://host:port` */
  readonly url: string
  /** Ends watches, closes connections and the store. */
  close(): Promise<void>
}

/** Keys and certificates of one cluster, all PEM. ECDSA P-256. */
export interface Pki {
  readonly caCert: string
  readonly caKey: string
  readonly servingCert: string
  readonly servingKey: string
  /** Client certificate of `kubernetes-admin` in group `system:masters`. */
  readonly adminCert: string
  readonly adminKey: string
  /** For `ControlPlaneOptions.serviceAccountKey`. */
  readonly serviceAccountKey?: string
}
