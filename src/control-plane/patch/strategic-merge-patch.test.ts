import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { REF_PREFIX, resolveBuiltin } from '../builtin/schemas.ts'
import { noReferences } from '../schema/resolve-schema.ts'
import type { Schema } from '../schema/schema.ts'
import { PatchError } from './patch-error.ts'
import { applyStrategicMergePatch } from './strategic-merge-patch.ts'

const text: Schema = { type: 'string' }
const object = (properties: Record<string, Schema>): Schema => ({ type: 'object', properties })
const keyed = (items: Schema, key: string, strategy = 'merge'): Schema => ({
  type: 'array',
  items,
  'x-kubernetes-patch-strategy': strategy,
  'x-kubernetes-patch-merge-key': key,
})

const SCHEMA = object({
  labels: { type: 'object', additionalProperties: text },
  finalizers: { type: 'array', items: text, 'x-kubernetes-patch-strategy': 'merge' },
  args: { type: 'array', items: text },
  strategy: { ...object({ type: text, rolling: object({ max: text }) }), 'x-kubernetes-patch-strategy': 'retainKeys' },
  template: { ...object({ a: text, b: text }), 'x-kubernetes-patch-strategy': 'replace' },
  containers: keyed(
    object({ name: text, image: text, env: keyed(object({ name: text, value: text }), 'name') }),
    'name',
  ),
  volumes: keyed(object({ name: text, empty: object({}), secret: object({ name: text }) }), 'name', 'merge,retainKeys'),
})

const patched = (doc: unknown, patch: unknown): unknown => applyStrategicMergePatch(doc, patch, SCHEMA, noReferences)
const named = (...names: string[]) => names.map((name) => ({ name }))

describe('applyStrategicMergePatch', () => {
  // Every expectation was compared with the real implementation.
  it.each<[string, object, object, object]>([
    [
      'merges maps and deletes with null',
      { labels: { x: '1', y: '2' } },
      { labels: { x: null, z: '3' } },
      { labels: { y: '2', z: '3' } },
    ],
    ['replaces lists that have no strategy', { args: ['a', 'b'] }, { args: ['c'] }, { args: ['c'] }],
    [
      'puts new scalars of a merged list in front',
      { finalizers: ['a', 'b'] },
      { finalizers: ['c', 'b'] },
      { finalizers: ['c', 'a', 'b'] },
    ],
    [
      'deletes from a list of scalars',
      { finalizers: ['a', 'b', 'c'] },
      { '$deleteFromPrimitiveList/finalizers': ['b'] },
      { finalizers: ['a', 'c'] },
    ],
    [
      'ignores a deletion from an absent list',
      { args: ['a'] },
      { '$deleteFromPrimitiveList/finalizers': ['b'] },
      { args: ['a'] },
    ],
    [
      'merges list items by their key',
      {
        containers: [
          { name: 'a', image: '1' },
          { name: 'b', image: '1' },
        ],
      },
      { containers: [{ name: 'b', image: '2' }] },
      {
        containers: [
          { name: 'a', image: '1' },
          { name: 'b', image: '2' },
        ],
      },
    ],
    [
      "puts new items in front of the server's own",
      { containers: named('a') },
      { containers: named('n') },
      { containers: named('n', 'a') },
    ],
    [
      'merges lists inside list items',
      { containers: [{ name: 'a', env: [{ name: 'X', value: '1' }] }] },
      { containers: [{ name: 'a', env: [{ name: 'Y', value: '2' }] }] },
      {
        containers: [
          {
            name: 'a',
            env: [
              { name: 'Y', value: '2' },
              { name: 'X', value: '1' },
            ],
          },
        ],
      },
    ],
    [
      'deletes an item with $patch',
      { containers: named('a', 'b') },
      { containers: [{ name: 'a', $patch: 'delete' }] },
      { containers: named('b') },
    ],
    [
      'replaces a whole list with $patch',
      { containers: named('a', 'b') },
      { containers: [{ $patch: 'replace' }, { name: 'c' }] },
      { containers: named('c') },
    ],
    [
      'replaces a map with $patch',
      { labels: { x: '1' } },
      { labels: { $patch: 'replace', y: '2' } },
      { labels: { y: '2' } },
    ],
    ['empties a map with $patch', { labels: { x: '1' } }, { labels: { $patch: 'delete' } }, { labels: {} }],
    [
      'takes no directive over into a new field',
      {},
      { labels: { $patch: 'delete' }, containers: [{ name: 'a', $patch: 'delete' }] },
      { containers: [] },
    ],
    ['drops nulls of what is new', {}, { labels: { x: null, y: '1' } }, { labels: { y: '1' } }],
    [
      'replaces a map whose strategy says so',
      { template: { a: '1', b: '2' } },
      { template: { a: '3' } },
      { template: { a: '3' } },
    ],
    [
      'orders items as $setElementOrder says',
      { containers: named('a', 'b', 'c') },
      { '$setElementOrder/containers': named('c', 'a') },
      { containers: named('b', 'c', 'a') },
    ],
    [
      'orders and merges at once',
      { containers: named('a', 'b') },
      { '$setElementOrder/containers': named('n', 'b', 'a'), containers: [{ name: 'n', image: '1' }] },
      { containers: [{ name: 'n', image: '1' }, { name: 'b' }, { name: 'a' }] },
    ],
    [
      'orders scalars',
      { finalizers: ['a', 'b'] },
      { '$setElementOrder/finalizers': ['b', 'a'] },
      { finalizers: ['b', 'a'] },
    ],
    [
      'retains only the listed keys',
      { strategy: { type: 'RollingUpdate', rolling: { max: '1' } } },
      { strategy: { $retainKeys: ['type'], type: 'Recreate' } },
      { strategy: { type: 'Recreate' } },
    ],
    [
      'retains keys inside list items',
      { volumes: [{ name: 'v', empty: {} }] },
      { volumes: [{ name: 'v', $retainKeys: ['name', 'secret'], secret: { name: 's' } }] },
      { volumes: [{ name: 'v', secret: { name: 's' } }] },
    ],
    ['replaces where the types differ', { labels: 'x' }, { labels: { a: '1' } }, { labels: { a: '1' } }],
  ])('%s', (_rule, doc, patch, expected) => {
    const before = structuredClone([doc, patch])
    expect(patched(doc, patch)).toEqual(expected)
    expect([doc, patch]).toEqual(before)
  })

  it.each<[string, unknown, string, number]>([
    ['no object', [], 'BadRequest', 400],
    ['an unknown directive', { labels: { $patch: 'destroy' } }, 'Invalid', 500],
    ['an item without its key', { containers: [{ image: 'x' }] }, 'Invalid', 500],
    ['a merge directive in a list', { containers: [{ name: 'a', $patch: 'merge' }] }, 'Invalid', 500],
    ['an order that is no list', { '$setElementOrder/containers': 'a' }, 'Invalid', 500],
    [
      'an order that contradicts the patch',
      { '$setElementOrder/containers': named('b', 'a'), containers: named('a', 'b') },
      'Invalid',
      500,
    ],
    [
      'retained keys that leave out what is set',
      { strategy: { $retainKeys: ['type'], rolling: {} } },
      'BadRequest',
      400,
    ],
    ['a directive without a field', { $setElementOrder: [] }, 'BadRequest', 400],
    ['items of different types', { containers: [{ name: 'a' }, 'b'] }, 'Invalid', 500],
  ])('refuses %s', (...[, patch, code, status]) => {
    const doc = { labels: {}, containers: named('a', 'b'), strategy: { type: 'x' } }
    expect(() => patched(doc, patch)).toThrow(expect.objectContaining({ name: 'PatchError', code, status }))
  })

  it('keeps __proto__ as data', () => {
    const result = patched({ labels: {} }, JSON.parse('{"labels":{"__proto__":"x"}}'))
    expect(JSON.stringify(result)).toBe('{"labels":{"__proto__":"x"}}')
  })

  it('merges long lists without comparing every pair', () => {
    const items = Array.from({ length: 20_000 }, (_, index) => ({ name: `c${index}` }))
    const result = patched({ containers: items }, { containers: items.map((item) => ({ ...item, image: 'x' })) })
    expect((result as { containers: unknown[] }).containers).toHaveLength(20_000)
  })

  it('refuses a patch nested without end', () => {
    let patch: unknown = {}
    for (let depth = 0; depth < 100_000; depth++) patch = { a: patch }
    expect(() => patched({}, patch)).toThrow(PatchError)
  })

  it('changes nothing when a patch is applied again, or is the document itself', () => {
    const name = fc.constantFrom('a', 'b', 'c')
    const list = fc.uniqueArray(fc.record({ name, image: fc.constantFrom('1', '2') }), {
      selector: (item) => item.name,
    })
    const document = fc.record(
      {
        labels: fc.dictionary(name, fc.string()),
        finalizers: fc.uniqueArray(name),
        args: fc.array(name),
        containers: list,
      },
      { requiredKeys: [] },
    )
    fc.assert(
      fc.property(document, document, (doc, patch) => {
        const once = patched(doc, patch)
        expect(patched(once, patch)).toEqual(once)
        expect(patched(doc, doc)).toEqual(doc)
      }),
      { numRuns: 100, seed: 7 },
    )
  })
})

describe('applyStrategicMergePatch with the built-in schemas', () => {
  const of = (name: string): Schema => ({ $ref: `${REF_PREFIX}io.k8s.api.${name}` })
  const container = (name: string, image: string) => ({ name, image, ports: [{ containerPort: 80, protocol: 'TCP' }] })
  const deployment = {
    spec: {
      replicas: 1,
      template: { metadata: {}, spec: { containers: [container('c', 'i:1'), container('d', 'i:1')] } },
    },
  }

  // Bodies as kubectl 1.35 sends them.
  it.each<[string, string, object, object, object]>([
    [
      'kubectl patch',
      'apps.v1.Deployment',
      { spec: { replicas: 1 } },
      { spec: { replicas: 3 } },
      { spec: { replicas: 3 } },
    ],
    [
      'kubectl set image',
      'apps.v1.Deployment',
      deployment,
      {
        spec: {
          template: {
            spec: {
              '$setElementOrder/containers': [{ name: 'c' }, { name: 'd' }],
              containers: [{ image: 'i:3', name: 'c' }],
            },
          },
        },
      },
      {
        spec: {
          replicas: 1,
          template: { metadata: {}, spec: { containers: [container('c', 'i:3'), container('d', 'i:1')] } },
        },
      },
    ],
    [
      'kubectl rollout restart',
      'apps.v1.Deployment',
      deployment,
      { spec: { template: { metadata: { annotations: { 'kubectl.kubernetes.io/restartedAt': 't' } } } } },
      {
        spec: {
          ...deployment.spec,
          template: {
            ...deployment.spec.template,
            metadata: { annotations: { 'kubectl.kubernetes.io/restartedAt': 't' } },
          },
        },
      },
    ],
    [
      'kubectl cordon',
      'core.v1.Node',
      { spec: {} },
      { spec: { unschedulable: true } },
      { spec: { unschedulable: true } },
    ],
    [
      'kubectl uncordon',
      'core.v1.Node',
      { spec: { unschedulable: true } },
      { spec: { unschedulable: null } },
      { spec: {} },
    ],
    [
      'kubectl taint',
      'core.v1.Node',
      { spec: { taints: [{ key: 'old', effect: 'NoSchedule' }] } },
      { spec: { taints: [{ effect: 'NoSchedule', key: 'k', value: 'v' }] } },
      { spec: { taints: [{ effect: 'NoSchedule', key: 'k', value: 'v' }] } },
    ],
    [
      'a condition in a node status',
      'core.v1.Node',
      {
        status: {
          conditions: [
            { type: 'Ready', status: 'True' },
            { type: 'DiskPressure', status: 'False' },
          ],
        },
      },
      { status: { conditions: [{ type: 'Ready', status: 'False' }] } },
      {
        status: {
          conditions: [
            { type: 'Ready', status: 'False' },
            { type: 'DiskPressure', status: 'False' },
          ],
        },
      },
    ],
    [
      'a finalizer',
      'core.v1.Pod',
      { metadata: { finalizers: ['a'] } },
      { metadata: { '$deleteFromPrimitiveList/finalizers': ['a'], finalizers: ['b'] } },
      { metadata: { finalizers: ['b'] } },
    ],
  ])('%s', (...[, kind, doc, patch, expected]) => {
    expect(applyStrategicMergePatch(doc, patch, of(kind), resolveBuiltin)).toEqual(expected)
  })
})
