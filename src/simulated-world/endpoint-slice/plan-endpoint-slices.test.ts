import { describe, expect, it } from 'vitest'
import type { EndpointSlice, Pod, Service } from '../kinds.ts'
import { meta, pod, summary } from '../testing/objects.ts'
import { planEndpointSlices } from './plan-endpoint-slices.ts'

function service(spec: NonNullable<Service['spec']> = {}): Service {
  return { metadata: meta('web'), spec: { selector: { app: 'x' }, ports: [{ port: 80 }], ...spec } }
}

const plan = (subject: Service, pods: Pod[], slices: EndpointSlice[] = []) =>
  planEndpointSlices({ service: subject, pods, slices })

function sliceOf(subject: Service, pods: Pod[]): EndpointSlice {
  const [action] = plan(subject, pods).actions
  if (action?.kind !== 'Create') throw new Error('no slice was made')
  return { ...(action.object as EndpointSlice), metadata: meta('web-1') }
}

describe('the EndpointSlice of a Service', () => {
  const states: Array<[string, Pod, object | undefined]> = [
    ['ready', pod('a'), { ready: true, serving: true, terminating: false }],
    ['not ready', pod('a', { ready: false }), { ready: false, serving: false, terminating: false }],
    ['going', pod('a', { deleting: true }), { ready: false, serving: true, terminating: true }],
    ['finished', pod('a', { phase: 'Succeeded' }), undefined],
    ['without an address', pod('a', { status: { phase: 'Pending' } }), undefined],
  ]
  it.each(states)('a pod that is %s', (_, one, conditions) => {
    expect(sliceOf(service(), [one]).endpoints[0]?.conditions).toEqual(conditions)
  })

  it('addresses that are not ready are published when the Service asks for that', () => {
    const subject = service({ publishNotReadyAddresses: true })
    expect(sliceOf(subject, [pod('a', { ready: false })]).endpoints[0]?.conditions.ready).toBe(true)
  })

  it('a target port by number, by default and by name', () => {
    const containers = [{ name: 'main', ports: [{ name: 'http', containerPort: 8080 }] }]
    const ports = [
      { name: 'a', port: 80 },
      { name: 'b', port: 81, targetPort: 9 },
      { name: 'c', port: 82, targetPort: 'http' },
      { name: 'd', port: 83, targetPort: 'none' },
    ]
    const slice = sliceOf(service({ ports }), [pod('p', { spec: { containers } })])
    expect(slice.ports.map(({ name, port }) => `${name} ${port}`)).toEqual(['a 80', 'b 9', 'c 8080'])
  })

  it('is written only when it differs, and only one is kept', () => {
    const pods = [pod('a'), pod('b')]
    const present = sliceOf(service(), pods)
    expect(plan(service(), pods, [present]).actions).toEqual([])
    expect(summary(plan(service(), [pod('a')], [present]))).toEqual(['replace EndpointSlice web-1'])
    const surplus = { ...present, metadata: meta('web-2') }
    expect(summary(plan(service(), pods, [present, surplus]))).toEqual(['delete EndpointSlice web-2'])
  })

  it('a Service without a selector is left to its owner', () => {
    expect(plan({ metadata: meta('web'), spec: {} }, []).actions).toEqual([])
  })
})
