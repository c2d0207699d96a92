import type { KubeObject, ResourceType } from '../../../../api/resource.ts'
import { isKubeError } from '../../../../kube/errors.ts'
import { DONE, waiting } from '../step-result.ts'
import type { Gate } from './gate.ts'

interface DaemonSet extends KubeObject {
  status?: { desiredNumberScheduled?: number; numberReady?: number }
}

const DAEMON_SETS: ResourceType<DaemonSet> = {
  group: 'apps',
  version: 'v1',
  plural: 'daemonsets',
  kind: 'DaemonSet',
  namespaced: true,
}

/** Passes when pods are wanted and all of them are ready. */
export const daemonSetReady: Gate = async ({ client }, { name = '', namespace = '' }) => {
  try {
    const { status } = await client.get(DAEMON_SETS, { name, namespace })
    const ready = status?.numberReady ?? 0
    const desired = status?.desiredNumberScheduled ?? 0
    if (desired > 0 && ready >= desired) return DONE
    return waiting(`${ready} of ${desired} pods of DaemonSet ${namespace}/${name} ready`)
  } catch (error) {
    if (!isKubeError(error, 'NotFound')) throw error
    return waiting(`DaemonSet ${namespace}/${name} does not exist`)
  }
}
