/** The connection of a program that runs in a pod: the mounted service account. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from './clock.ts'
import { type Connection, createTokenFile, KubeconfigError } from './connection.ts'

export const SERVICE_ACCOUNT_DIR = '/var/run/secrets/kubernetes.io/serviceaccount'

/** Every cluster serves its API under this name, and its certificate carries it. */
const DEFAULT_SERVER = 'https://kubernetes.default.svc'

export interface InClusterOptions {
  /** Default `https://kubernetes.default.svc`. */
  readonly server?: string
  /** Folder with `token`, `ca.crt` and `namespace`. Default the kubelet's. */
  readonly serviceAccountDir?: string
}

function read(dir: string, file: string): string {
  try {
    return readFileSync(join(dir, file), 'utf8')
  } catch (cause) {
    throw new KubeconfigError(
      `cannot read ${join(dir, file)}: not in a pod, or the pod mounts no service account; give a kubeconfig instead`,
      { cause },
    )
  }
}

/** @throws KubeconfigError when the service account is not mounted. */
export function inClusterConnection(clock: Clock, options: InClusterOptions = {}): Connection {
  const dir = options.serviceAccountDir ?? SERVICE_ACCOUNT_DIR
  const ca = read(dir, 'ca.crt')
  const namespace = read(dir, 'namespace').trim()
  const token = createTokenFile(join(dir, 'token'), clock)
  return {
    server: options.server ?? DEFAULT_SERVER,
    namespace,
    trust: { ca },
    credentials: async () => ({ headers: { authorization: `Bearer ${await token()}` } }),
  }
}
