/** The quality of service class of a pod, from the requests and limits of its containers. [doc: Pod QoS classes] */
import { at, fieldsAt, isFields } from '../fields.ts'
import { quantityInBillionths } from '../quantity.ts'
import { containersOf } from './pod-spec-defaults.ts'

const COUNTED = ['cpu', 'memory']

/** Guaranteed: every container has both limits and equal requests; BestEffort: none has any; else Burstable. */
export function qosClass(pod: unknown): 'BestEffort' | 'Burstable' | 'Guaranteed' {
  const spec = at(pod, 'spec')
  const containers = isFields(at(spec, 'resources')) ? [{ resources: at(spec, 'resources') }] : containersOf(spec)
  const amounts = containers.flatMap((container) =>
    COUNTED.map((name) => ({
      request: positive(fieldsAt(container, 'resources.requests')[name]),
      limit: positive(fieldsAt(container, 'resources.limits')[name]),
    })),
  )
  if (amounts.every(({ request, limit }) => request === undefined && limit === undefined)) return 'BestEffort'
  const isFixed = amounts.every(({ request, limit }) => limit !== undefined && (request ?? limit) === limit)
  return isFixed ? 'Guaranteed' : 'Burstable'
}

function positive(quantity: unknown): bigint | undefined {
  if (typeof quantity !== 'string' && typeof quantity !== 'number') return undefined
  const amount = quantityInBillionths(String(quantity))
  return amount !== undefined && amount > 0n ? amount : undefined
}
