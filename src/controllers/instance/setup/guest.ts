/** One member as the setup sees it: its client, and what was done in it already during the life of this process. */

import type { KubeClient } from '../../../kube/client.ts'
import { KubeError } from '../../../kube/errors.ts'
import { type ClosableKubeClient, createKubeClient } from '../../../kube/kube-client.ts'
import { createGuestKinds, type GuestKinds } from './manifest/guest-kinds.ts'

/** For one request to a member, milliseconds. */
export const GUEST_TIMEOUT_MS = 5_000

export interface Guest {
  readonly client: KubeClient
  readonly kinds: GuestKinds
  /** Keys of what is done and need not be done again. */
  readonly done: Set<string>
  /** Texts of URLs, kept until they are applied. */
  readonly downloads: Map<string, string>
  /** False once the member has shown that it knows no server-side apply. */
  serverSideApply: boolean
}

export interface GuestSession {
  readonly guest: Guest
  /** A member that was started again may be reached elsewhere: what was done in it stays done. @throws KubeconfigError */
  connect(kubeconfig: string): void
  close(): void
}

export function createGuestSession(): GuestSession {
  let connection: { kubeconfig: string; client: ClosableKubeClient } | undefined
  const client = (): KubeClient => {
    // Forgotten while a step was on its way: the step ends like one whose connection was cut.
    if (connection === undefined) throw new KubeError('Unreachable', 'the member is not looked after any more')
    return connection.client
  }
  const close = (): void => {
    connection?.client.close()
    connection = undefined
  }
  return {
    guest: {
      get client() {
        return client()
      },
      kinds: createGuestKinds(client),
      done: new Set(),
      downloads: new Map(),
      serverSideApply: true,
    },
    connect(kubeconfig) {
      if (connection?.kubeconfig === kubeconfig) return
      close()
      connection = { kubeconfig, client: createKubeClient({ kubeconfig, requestTimeoutMs: GUEST_TIMEOUT_MS }) }
    },
    close,
  }
}
