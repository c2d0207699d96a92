import type { KubeObject, ResourceType } from '../../../../api/resource.ts'
import { isKubeError } from '../../../../kube/errors.ts'
import { DONE, waiting } from '../step-result.ts'
import { DEFAULT_NAMESPACE, type Gate } from './gate.ts'

interface Endpoints extends KubeObject {
  subsets?: { addresses?: unknown[] }[] | null
}

const ENDPOINTS: ResourceType<Endpoints> = {
  group: '',
  version: 'v1',
  plural: 'endpoints',
  kind: 'Endpoints',
  namespaced: true,
}

/** The name that every distribution gives its DNS service, whatever program serves it. */
const DNS_SERVICE = 'kube-dns'

/** Passes when the DNS service has at least one ready address. */
export const dnsHealthy: Gate = async ({ client }, { namespace = DEFAULT_NAMESPACE }) => {
  try {
    const { subsets } = await client.get(ENDPOINTS, { name: DNS_SERVICE, namespace })
    const ready = (subsets ?? []).reduce((sum, { addresses }) => sum + (addresses?.length ?? 0), 0)
    return ready > 0 ? DONE : waiting(`Endpoints ${namespace}/${DNS_SERVICE} has 0 ready addresses, 1 is wanted`)
  } catch (error) {
    if (!isKubeError(error, 'NotFound')) throw error
    return waiting(`Endpoints ${namespace}/${DNS_SERVICE} does not exist`)
  }
}
