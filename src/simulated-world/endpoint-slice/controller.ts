/** The EndpointSlice controller. */
import { ownerKeys } from '../../controllers/engine/sources.ts'
import { objectKey } from '../../kube/object-key.ts'
import { BY_CONTROLLER, BY_NAMESPACE } from '../engine/cache.ts'
import type { WorldDeps } from '../engine/deps.ts'
import { createPlannedController, onChange, type WorldController } from '../engine/planned-controller.ts'
import type { Pod, Service } from '../kinds.ts'
import { labelsMatch } from '../objects/selector.ts'
import { type ObservedService, planEndpointSlices } from './plan-endpoint-slices.ts'

export function createEndpointSliceController(deps: WorldDeps): WorldController {
  const { services, slices, pods } = deps.caches

  function servicesOf(pod: Readonly<Pod>): string[] {
    const near = services.byIndex(BY_NAMESPACE, pod.metadata.namespace ?? '')
    return near.filter((service) => selects(service, pod)).map((service) => objectKey(service))
  }

  return createPlannedController<Service, ObservedService>(
    deps,
    {
      name: 'endpointslice',
      component: 'endpoint-slice-controller',
      subjects: services,
      observe: (service) => ({
        service,
        pods: pods.byIndex(BY_NAMESPACE, service.metadata.namespace ?? '').filter((pod) => selects(service, pod)),
        slices: slices.byIndex(BY_CONTROLLER, service.metadata.uid ?? ''),
      }),
      plan: planEndpointSlices,
      dependents: [slices],
      sources: [onChange(pods, servicesOf), onChange(slices, ownerKeys('Service'))],
    },
    [pods],
  )
}

function selects({ spec }: Service, { metadata }: Readonly<Pod>): boolean {
  return spec?.selector !== undefined && labelsMatch(spec.selector, metadata.labels)
}
