import { describe, expect, it } from 'vitest'
import type { ConfigMap } from '../api/core-resources.ts'
import { createInformerStore } from './informer-store.ts'

const object = (name: string, resourceVersion: string, uid = name, data: Record<string, string> = {}): ConfigMap => ({
  metadata: { namespace: 'n', name, uid, resourceVersion },
  data,
})

const told = (changes: readonly { type: string; object: ConfigMap; old?: ConfigMap }[]): string[] =>
  changes.map(({ type, object: { metadata } }) => `${type} ${metadata.uid}@${metadata.resourceVersion}`)

describe('an informer store', () => {
  it.each([
    ['a newer state is told', 'MODIFIED', object('a', '12'), ['MODIFIED a@12']],
    ['an added object that is known is told as modified', 'ADDED', object('a', '12'), ['MODIFIED a@12']],
    ['the same state is not told again', 'MODIFIED', object('a', '10'), []],
    ['an older state is dropped', 'MODIFIED', object('a', '9'), []],
    ['an older state is dropped when the number is shorter', 'MODIFIED', object('a', '9'), []],
    ['an older state of another UID is dropped', 'MODIFIED', object('a', '9', 'b'), []],
    ['a new UID is a deletion and an addition', 'ADDED', object('a', '12', 'b'), ['DELETED a@10', 'ADDED b@12']],
    ['a deletion is told with its last state', 'DELETED', object('a', '13'), ['DELETED a@13']],
    ['a deletion may carry the version of the last write', 'DELETED', object('a', '10'), ['DELETED a@10']],
    ['an older deletion is dropped', 'DELETED', object('a', '9'), []],
    ['a deletion of an unknown object is dropped', 'DELETED', object('other', '13'), []],
    ['versions that are no numbers are taken as they come', 'MODIFIED', object('a', 'x'), ['MODIFIED a@x']],
  ] as const)('%s', (_, type, next, expected) => {
    const store = createInformerStore<ConfigMap>()
    store.apply('ADDED', object('a', '10'))
    expect(told(store.apply(type, next))).toEqual(expected)
  })

  it('a list tells what was added, changed, deleted and made again, and nothing else', () => {
    const store = createInformerStore<ConfigMap>()
    for (const name of ['same', 'changed', 'gone', 'again']) store.apply('ADDED', object(name, '10'))
    const changes = store.replaceAll([
      object('same', '10'),
      object('changed', '20'),
      object('again', '21', 'again-2'),
      object('new', '22'),
    ])
    expect(told(changes)).toEqual([
      'DELETED gone@10',
      'MODIFIED changed@20',
      'DELETED again@10',
      'ADDED again-2@21',
      'ADDED new@22',
    ])
    expect(store.list().map(({ metadata }) => metadata.uid)).toEqual(['same', 'changed', 'again-2', 'new'])
  })

  it('a list of a server that was restored from an older state is believed', () => {
    const store = createInformerStore<ConfigMap>()
    store.apply('ADDED', object('a', '10'))
    expect(told(store.replaceAll([object('a', '4')]))).toEqual(['MODIFIED a@4'])
  })

  it('an index follows every change', () => {
    const store = createInformerStore<ConfigMap>({ colour: ({ data }) => (data?.['colour'] ?? '').split(' ') })
    const found = (value: string): (string | undefined)[] =>
      store.byIndex('colour', value).map(({ metadata }) => metadata.name)
    store.apply('ADDED', object('a', '1', 'a', { colour: 'red blue' }))
    store.apply('ADDED', object('b', '2', 'b', { colour: 'red' }))
    expect([found('red'), found('blue')]).toEqual([['a', 'b'], ['a']])
    store.apply('MODIFIED', object('a', '3', 'a', { colour: 'green' }))
    expect([found('red'), found('blue'), found('green')]).toEqual([['b'], [], ['a']])
    store.apply('DELETED', object('b', '4'))
    expect(found('red')).toEqual([])
    expect(() => store.byIndex('size', 'x')).toThrow(RangeError)
  })

  it('its objects cannot be written to, at any depth', () => {
    const store = createInformerStore<ConfigMap>()
    store.apply('ADDED', object('a', '1', 'a', { key: 'value' }))
    const held: ConfigMap = store.get('n/a')!
    expect(() => {
      held.data!['key'] = 'other'
    }).toThrow(TypeError)
  })
})
