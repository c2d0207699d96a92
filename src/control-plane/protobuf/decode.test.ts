import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { builtinResources } from '../builtin/index.ts'
import { decodeProtobuf, ProtobufError } from './decode.ts'

interface Captured {
  command: string
  /** What kubectl 1.32 sent, base64. */
  body: string
  /** What the same command prints with `--dry-run=client -o json`. */
  expected?: unknown
}

const captured: Captured[] = JSON.parse(readFileSync(new URL('captured-bodies.fixture.json', import.meta.url), 'utf8'))

/** kubectl prints nulls and empty times that a request need not have. */
const withoutNulls = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutNulls)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, field]) => field !== null)
      .map(([name, field]) => [name, withoutNulls(field)]),
  )
}

describe('bodies that kubectl sends', () => {
  test.each(captured.filter(({ expected }) => expected !== undefined))('$command', ({ body, expected }) => {
    expect(decodeProtobuf(Buffer.from(body, 'base64'))).toEqual(withoutNulls(expected))
  })

  test.each([
    [
      'create token',
      {
        audiences: ['x'],
        boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'p', uid: 'u' },
        expirationSeconds: 600,
      },
    ],
    [
      'can-i get pods',
      { resourceAttributes: { namespace: 'kube-system', verb: 'get', resource: 'pods', name: 'log' } },
    ],
    ['can-i get /healthz', { nonResourceAttributes: { path: '/healthz', verb: 'get' } }],
    ['can-i --list', { namespace: 'default' }],
    ['whoami', undefined],
  ])('%s', (command, spec) => {
    const found = captured.find((candidate) => candidate.command.includes(command))
    expect(decodeProtobuf(Buffer.from(found!.body, 'base64'))['spec']).toEqual(spec)
  })
})

/** Encoders of the few wire forms that the cases below need. */
const varint = (value: bigint): Buffer => {
  const bytes: number[] = []
  let rest = BigInt.asUintN(64, value)
  while (rest > 127n) {
    bytes.push(Number(rest & 127n) | 128)
    rest >>= 7n
  }
  return Buffer.from([...bytes, Number(rest)])
}
const number = (field: number, value: number | bigint): Buffer =>
  Buffer.concat([varint(BigInt(field * 8)), varint(BigInt(value))])
const bytes = (field: number, ...content: Array<Buffer | string>): Buffer => {
  const joined = Buffer.concat(content.map((part) => Buffer.from(part)))
  return Buffer.concat([varint(BigInt(field * 8 + 2)), varint(BigInt(joined.length)), joined])
}
const frame = (apiVersion: string, kind: string, ...raw: Buffer[]): Buffer =>
  Buffer.concat([Buffer.from('k8s\0'), bytes(1, bytes(1, apiVersion), bytes(2, kind)), bytes(2, ...raw)])

test('delete options come in the version of any group, and a zero grace period is kept', () => {
  const body = frame(
    'apps/v1',
    'DeleteOptions',
    number(1, 0),
    bytes(2, bytes(1, 'uid-1')),
    bytes(4, 'Background'),
    bytes(5, 'All'),
  )
  expect(decodeProtobuf(body)).toEqual({
    apiVersion: 'apps/v1',
    kind: 'DeleteOptions',
    gracePeriodSeconds: 0,
    preconditions: { uid: 'uid-1' },
    propagationPolicy: 'Background',
    dryRun: ['All'],
  })
})

test('zeros of plain fields are absent, zeros of pointers are values', () => {
  const spec = bytes(2, number(1, 0), number(5, 0))
  expect(decodeProtobuf(frame('apps/v1', 'Deployment', spec))).toMatchObject({ spec: { replicas: 0 } })
  expect(decodeProtobuf(frame('apps/v1', 'Deployment', spec))['spec']).not.toHaveProperty('minReadySeconds')
  const claim = bytes(2, bytes(5, ''), bytes(3, ''))
  expect(decodeProtobuf(frame('v1', 'PersistentVolumeClaim', claim))['spec']).toEqual({ storageClassName: '' })
})

test('numbers are signed and 64 bits wide, packed or not', () => {
  const policy = (content: Buffer) => frame('apps/v1', 'Deployment', bytes(2, content))
  expect(decodeProtobuf(policy(number(9, -1)))).toMatchObject({ spec: { progressDeadlineSeconds: -1 } })
  const meta = frame('v1', 'ConfigMap', bytes(1, number(7, 9_007_199_254_740_991n)))
  expect(decodeProtobuf(meta)).toMatchObject({ metadata: { generation: 9_007_199_254_740_991 } })
  const security = (content: Buffer) => frame('v1', 'Pod', bytes(2, bytes(14, content)))
  const expected = { spec: { securityContext: { supplementalGroups: [1, 300] } } }
  expect(decodeProtobuf(security(Buffer.concat([number(4, 1), number(4, 300)])))).toMatchObject(expected)
  expect(decodeProtobuf(security(bytes(4, varint(1n), varint(300n))))).toMatchObject(expected)
})

test('times are texts, micro times keep six digits, and an empty time is absent', () => {
  const lease = frame(
    'coordination.k8s.io/v1',
    'Lease',
    bytes(1, bytes(8), bytes(9, number(1, 86_400))),
    bytes(2, bytes(4, number(1, 1), number(2, 2_003_000))),
  )
  expect(decodeProtobuf(lease)).toEqual({
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { deletionTimestamp: '1970-01-02T00:00:00Z' },
    spec: { renewTime: '1970-01-01T00:00:01.002003Z' },
  })
})

test('inlined messages, ports by name or number, and quantities take their JSON form', () => {
  const probe = bytes(10, bytes(1, bytes(2, bytes(2, number(1, 1), bytes(3, 'http')))))
  const limits = bytes(8, bytes(1, bytes(1, 'cpu'), bytes(2, bytes(1, '500m'))))
  const volume = bytes(1, bytes(1, 'v'), bytes(2, bytes(2, bytes(1, 'Memory'))))
  const pod = frame('v1', 'Pod', bytes(2, volume, bytes(2, bytes(1, 'c'), probe, limits)))
  expect(decodeProtobuf(pod)['spec']).toEqual({
    volumes: [{ name: 'v', emptyDir: { medium: 'Memory' } }],
    containers: [{ name: 'c', livenessProbe: { httpGet: { port: 'http' } }, resources: { limits: { cpu: '500m' } } }],
  })
})

test("a CRD's schema: JSON values, unions and extension keys", () => {
  const integer = bytes(5, 'integer')
  const properties = (name: string, ...schema: Buffer[]) => bytes(29, bytes(1, name), bytes(2, ...schema))
  const schema = bytes(
    1,
    bytes(5, 'object'),
    properties('n', integer, bytes(8, bytes(1, '3')), bytes(20, bytes(1, '1')), bytes(20, bytes(1, '"x"'))),
    properties('l', bytes(5, 'array'), bytes(24, bytes(1, integer))),
    properties('m', bytes(30, number(1, 1), bytes(2, integer))),
    properties('f', bytes(30, number(1, 0))),
    properties('p', number(38, 1)),
    properties('__proto__', integer),
  )
  const crd = frame(
    'apiextensions.k8s.io/v1',
    'CustomResourceDefinition',
    bytes(2, bytes(7, bytes(1, 'v1'), number(2, 1), bytes(4, schema))),
  )
  const { spec } = decodeProtobuf(crd) as {
    spec: { versions: Array<{ schema: { openAPIV3Schema: { properties: object } } }> }
  }
  const found = spec.versions[0]!.schema.openAPIV3Schema.properties
  expect(found).toMatchObject({
    n: { type: 'integer', default: 3, enum: [1, 'x'] },
    l: { type: 'array', items: { type: 'integer' } },
    m: { additionalProperties: { type: 'integer' } },
    f: { additionalProperties: false },
    p: { 'x-kubernetes-preserve-unknown-fields': true },
  })
  expect(Object.getOwnPropertyDescriptor(found, '__proto__')?.value).toEqual({ type: 'integer' })
})

test('every kind that is served with create can be decoded when empty', () => {
  for (const { group, version, kind } of builtinResources()) {
    const apiVersion = group === '' ? version : `${group}/${version}`
    expect(decodeProtobuf(frame(apiVersion, kind))).toEqual({ apiVersion, kind })
  }
  expect(decodeProtobuf(frame('policy/v1', 'Eviction', bytes(1, bytes(1, 'p'))))).toMatchObject({
    metadata: { name: 'p' },
  })
  expect(decodeProtobuf(frame('autoscaling/v1', 'Scale', bytes(2, number(1, 0))))).toMatchObject({ spec: {} })
})

describe('hostile bodies are refused with an error', () => {
  const deep = (levels: number): Buffer => {
    let schema = bytes(5, 'object')
    for (let level = 0; level < levels; level++) schema = bytes(28, schema)
    return frame('apiextensions.k8s.io/v1', 'CustomResourceDefinition', bytes(2, bytes(7, bytes(4, bytes(1, schema)))))
  }
  test.each([
    ['an empty body', Buffer.alloc(0)],
    ['JSON', Buffer.from('{"kind":"Pod"}')],
    ['no kind', Buffer.from('k8s\0')],
    ['an unknown kind', frame('v1', 'Nothing')],
    ['a kind named like an inherited property', frame('v1', 'constructor')],
    ['a length beyond the end', Buffer.concat([Buffer.from('k8s\0'), Buffer.from([0x0a, 0xff, 0xff, 0xff, 0x7f])])],
    ['a negative length', Buffer.concat([Buffer.from('k8s\0\x0a', 'latin1'), varint(-1n)])],
    ['an endless varint', Buffer.concat([Buffer.from('k8s\0\x08', 'latin1'), Buffer.alloc(20, 0xff)])],
    ['field number zero', Buffer.from('k8s\0\x02\x00', 'latin1')],
    ['a group', Buffer.from('k8s\0\x0b', 'latin1')],
    ['a number where a message belongs', frame('v1', 'Pod', number(2, 1))],
    ['a time beyond the year 9999', frame('v1', 'Pod', bytes(1, bytes(8, number(1, 1n << 50n))))],
    ['an embedded object that is not JSON', frame('apps/v1', 'ControllerRevision', bytes(2, bytes(1, '{')))],
    ['a compressed body', Buffer.concat([frame('v1', 'Pod'), bytes(3, 'gzip')])],
    ['deep nesting', deep(5000)],
  ])('%s', (_, body) => {
    expect(() => decodeProtobuf(body)).toThrow(ProtobufError)
  })

  test('nesting as deep as real schemas is fine', () => {
    expect(() => decodeProtobuf(deep(60))).not.toThrow()
  })

  test('any truncation and any changed byte gives an object or a ProtobufError', () => {
    const bodies = captured.map(({ body }) => Buffer.from(body, 'base64'))
    const property = fc.property(
      fc.constantFrom(...bodies),
      fc.nat(),
      fc.nat(255),
      fc.boolean(),
      (body, at, byte, cut) => {
        const position = at % body.length
        const changed = Buffer.from(cut ? body.subarray(0, position) : body)
        if (!cut) changed[position] = byte
        try {
          expect(decodeProtobuf(changed)).toBeTypeOf('object')
        } catch (error) {
          expect(error).toBeInstanceOf(ProtobufError)
        }
      },
    )
    fc.assert(property, { numRuns: 2000 })
  })
})
