import { expect, test } from 'vitest'
import type { StoredObject } from '../../registry/resource-definition.ts'
import { at, listAt } from '../fields.ts'
import { builtinResources, withServiceAddresses } from '../index.ts'
import { pickClusterIp, pickNodePort } from '../service-addresses.ts'

const service = (uid: string, spec: object): StoredObject => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'a', uid, resourceVersion: '', creationTimestamp: '2026-01-01T00:00:00Z' },
  spec,
})

const definition = builtinResources().find(({ kind }) => kind === 'Service')!

test('no address and no node port is given twice', () => {
  const taken = new Set<string>()
  const ports = new Set<number>()
  const { strategy } = withServiceAddresses(definition, {
    isClusterIpTaken: (address) => taken.has(address),
    isNodePortTaken: (port) => ports.has(port),
  })
  for (let index = 0; index < 1000; index++) {
    const created = service(`uid-${index}`, { type: 'NodePort', ports: [{ port: 1 }, { port: 2, name: 'b' }] })
    strategy!.prepareForCreate!(created)
    const address = String(at(created, 'spec.clusterIP'))
    expect(address).toMatch(/^10\.(9[6-9]|10\d|11[01])\./)
    expect(taken).not.toContain(address)
    taken.add(address)
    for (const port of listAt(created, 'spec.ports')) {
      const number = at(port, 'nodePort') as number
      expect(ports).not.toContain(number)
      ports.add(number)
    }
  }
  expect(Math.min(...ports)).toBeGreaterThanOrEqual(30_000)
  expect(Math.max(...ports)).toBeLessThanOrEqual(32_767)
})

test('the same UID gets the same address while it is free, else the next one', () => {
  const free = { isClusterIpTaken: () => false, isNodePortTaken: () => false }
  const first = pickClusterIp('uid', free)
  expect(pickClusterIp('uid', free)).toBe(first)
  const next = pickClusterIp('uid', { ...free, isClusterIpTaken: (address) => address === first })
  expect(next).not.toBe(first)
})

test('when every node port is taken the error says so', () => {
  expect(() => pickNodePort('uid', () => true)).toThrow('in use')
})
