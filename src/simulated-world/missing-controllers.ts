/**
 * Which controllers an API server lacks: real ones that hold their leader election Lease do their part themselves, and
 * two that do the same would fight.
 */
import type { KubeClient } from '../kube/client.ts'
import { getIfPresent } from '../kube/get-if-present.ts'
import { LEASES } from './kinds.ts'
import { NODES_ONLY, WORLD_CONTROLLERS, type WorldControllerName } from './world.ts'

/** A leader renews every few seconds; one that has not for so long is gone. */
const GONE_AFTER_MS = 60_000

/** @throws KubeError when the Leases cannot be read. */
export async function missingControllers(client: KubeClient, now: number): Promise<readonly WorldControllerName[]> {
  const [manager, scheduler] = await Promise.all(
    ['kube-controller-manager', 'kube-scheduler'].map((name) => isLed(client, name, now)),
  )
  const wanted = manager ? NODES_ONLY : WORLD_CONTROLLERS
  return scheduler ? wanted.filter((name) => name !== 'scheduler') : wanted
}

async function isLed(client: KubeClient, name: string, now: number): Promise<boolean> {
  const lease = await getIfPresent(client, LEASES, { namespace: 'kube-system', name })
  const renewedAt = Date.parse(lease?.spec?.renewTime ?? '')
  return (lease?.spec?.holderIdentity ?? '') !== '' && now - renewedAt < GONE_AFTER_MS
}
