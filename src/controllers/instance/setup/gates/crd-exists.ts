import { CUSTOM_RESOURCE_DEFINITIONS } from '../../../../api/core-resources.ts'
import { isKubeError } from '../../../../kube/errors.ts'
import { DONE, waiting } from '../step-result.ts'
import type { Gate } from './gate.ts'

/** Passes when the definition is there. */
export const crdExists: Gate = async ({ client }, { name = '' }) => {
  try {
    await client.get(CUSTOM_RESOURCE_DEFINITIONS, { name })
    return DONE
  } catch (error) {
    if (!isKubeError(error, 'NotFound')) throw error
    return waiting(`CustomResourceDefinition ${name} does not exist`)
  }
}
