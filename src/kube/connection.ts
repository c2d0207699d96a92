/** How one API server is reached: address, trust and credentials. `kubeconfig.ts` and `in-cluster.ts` make it. */
import { readFile } from 'node:fs/promises'
import type { Agent } from 'node:http'
import type { Clock } from './clock.ts'

export interface Credentials {
  /** Sent with every request: `authorization`, impersonation. */
  readonly headers: Readonly<Record<string, string | string[]>>
  /** Client certificate and key, PEM. */
  readonly cert?: string
  readonly key?: string
  /** Replaces our own agents: a way through a proxy. */
  readonly agent?: Agent
}

export interface Connection {
  /** `https://host:port`, with the path under which the API is served, if any. */
  readonly server: string
  /** Namespace of the context; absent when it names none. */
  readonly namespace?: string
  readonly trust: {
    /** PEM; absent: the well-known authorities. */
    readonly ca?: string
    /** The name that the certificate must carry, when it is not the host of `server`. */
    readonly servername?: string
    /** Absent means true. */
    readonly rejectUnauthorized?: boolean
  }
  /** Asked before every request, because tokens are rotated while we run. */
  credentials(): Promise<Credentials>
}

/** A kubeconfig or a service account that cannot be used. The message says which field and what to do. */
export class KubeconfigError extends Error {
  override readonly name = 'KubeconfigError'
  readonly code = 'InvalidKubeconfig'
}

/** kubelet replaces a projected token well before it ends; a minute of delay is what client-go allows itself too. */
const TOKEN_FILE_MAX_AGE_MS = 60_000

/** A bearer token from a file that others rewrite. */
export function createTokenFile(path: string, clock: Clock): () => Promise<string> {
  let held: { token: string; readAt: number } | undefined
  return async () => {
    if (held === undefined || clock.monotonic() - held.readAt >= TOKEN_FILE_MAX_AGE_MS) {
      const token = (await readFile(path, 'utf8')).trim()
      if (token === '') throw new KubeconfigError(`the token file ${path} is empty`)
      held = { token, readAt: clock.monotonic() }
    }
    return held.token
  }
}
