import { DEPLOYMENTS } from '../../../../api/core-resources.ts'
import { isKubeError } from '../../../../kube/errors.ts'
import { DONE, waiting } from '../step-result.ts'
import type { Gate } from './gate.ts'

/** Passes when the Deployment has at least one ready replica. [C] */
export const deploymentReady: Gate = async ({ client }, { name = '', namespace = '' }) => {
  try {
    const { spec, status } = await client.get(DEPLOYMENTS, { name, namespace })
    const ready = status?.readyReplicas ?? 0
    if (ready > 0) return DONE
    return waiting(`${ready} of ${spec?.replicas ?? 1} replicas of Deployment ${namespace}/${name} ready`)
  } catch (error) {
    if (!isKubeError(error, 'NotFound')) throw error
    return waiting(`Deployment ${namespace}/${name} does not exist`)
  }
}
