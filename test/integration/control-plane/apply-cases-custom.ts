/** Applies, and writes between them, of a custom kind: what its schema says of lists and maps. */
import { apply, type Case, create, force, GADGETS, GADGETS_V2, type Json, merge, put } from './apply-steps.ts'

const gadget = (name: string, spec: Json, more: Json = {}): Json => ({
  apiVersion: 'apply.example.com/v1',
  kind: 'Gadget',
  metadata: { name },
  spec,
  ...more,
})

const second = (object: Json): Json => ({ ...object, apiVersion: 'apply.example.com/v2' })

const SCALE_TO_THREE = {
  apiVersion: 'autoscaling/v1',
  kind: 'Scale',
  metadata: { name: 'g-16' },
  spec: { replicas: 3 },
}

export const CUSTOM_CASES: readonly Case[] = [
  {
    name: 'a custom object is created by an apply, with its defaults owned by nobody',
    steps: [apply(GADGETS, 'a', gadget('g-1', { size: 1 })), create(GADGETS, 'creator', gadget('g-1b', { size: 1 }))],
  },
  {
    name: 'items of a set are owned one by one',
    steps: [
      apply(GADGETS, 'a', gadget('g-2', { tags: ['x', 'y'] })),
      apply(GADGETS, 'b', gadget('g-2', { tags: ['z', 'y'] })),
      apply(GADGETS, 'a', gadget('g-2', { tags: ['x'] })),
      apply(GADGETS, 'b', gadget('g-2', { tags: [] })),
      merge(`${GADGETS}/g-2`, 'c', { spec: { tags: ['n', 'x'] } }),
    ],
  },
  {
    name: 'items of a map are owned by their keys, defaulted ones too',
    steps: [
      apply(
        GADGETS,
        'a',
        gadget('g-3', {
          ports: [
            { port: 1, label: 'one' },
            { port: 2, protocol: 'UDP' },
          ],
        }),
      ),
      apply(GADGETS, 'b', gadget('g-3', { ports: [{ port: 1, protocol: 'TCP', label: 'uno' }] })),
      force(GADGETS, 'b', gadget('g-3', { ports: [{ port: 1, protocol: 'TCP', label: 'uno' }] })),
      apply(GADGETS, 'a', gadget('g-3', { ports: [{ port: 2, protocol: 'UDP' }] })),
      apply(GADGETS, 'b', gadget('g-3', {})),
    ],
  },
  {
    name: 'an atomic list and an atomic map are owned as a whole',
    steps: [
      apply(GADGETS, 'a', gadget('g-4', { list: ['x'], whole: { k: '1' } })),
      apply(GADGETS, 'b', gadget('g-4', { list: ['x', 'y'], whole: { l: '1' } })),
      force(GADGETS, 'b', gadget('g-4', { list: ['x', 'y'], whole: { l: '1' } })),
      merge(`${GADGETS}/g-4`, 'c', { spec: { whole: { m: '1' } } }),
      apply(GADGETS, 'b', gadget('g-4', { list: ['x', 'y'] })),
    ],
  },
  {
    name: 'a granular map is owned key by key',
    steps: [
      apply(GADGETS, 'a', gadget('g-5', { labels: { x: '1', y: '1' } })),
      apply(GADGETS, 'b', gadget('g-5', { labels: { z: '1' } })),
      apply(GADGETS, 'a', gadget('g-5', { labels: {} })),
      apply(GADGETS, 'b', gadget('g-5', {})),
    ],
  },
  {
    name: 'below a part that keeps unknown fields maps are granular and lists atomic',
    steps: [
      apply(GADGETS, 'a', gadget('g-6', { free: { deep: { x: 1, list: [{ name: 'n' }] } } })),
      apply(GADGETS, 'b', gadget('g-6', { free: { deep: { y: 2 } } })),
      apply(GADGETS, 'b', gadget('g-6', { free: { deep: { list: [{ name: 'm' }] } } })),
      apply(GADGETS, 'a', gadget('g-6', { free: { deep: {} } })),
      merge(`${GADGETS}/g-6`, 'c', { spec: { free: { deep: null, other: 'x' } } }),
    ],
  },
  {
    name: 'an empty object is owned, one with fields is not',
    steps: [
      apply(GADGETS, 'a', gadget('g-7', { nested: { inner: {} } })),
      apply(GADGETS, 'b', gadget('g-7', { nested: { inner: { a: '1' } } })),
      apply(GADGETS, 'a', gadget('g-7', {})),
      apply(GADGETS, 'b', gadget('g-7', {})),
    ],
  },
  {
    name: "a default does not come back as an owner's field when it is given up",
    steps: [
      apply(GADGETS, 'a', gadget('g-8', { colour: 'blue' })),
      apply(GADGETS, 'a', gadget('g-8', { size: 1 })),
      apply(GADGETS, 'b', gadget('g-8', { colour: 'green' })),
    ],
  },
  {
    name: 'a number or a text may stand in the same field',
    steps: [
      apply(GADGETS, 'a', gadget('g-9', { either: 1 })),
      apply(GADGETS, 'b', gadget('g-9', { either: '1' })),
      force(GADGETS, 'b', gadget('g-9', { either: '1' })),
    ],
  },
  {
    name: 'the status of a custom object has owners of its own',
    steps: [
      apply(GADGETS, 'a', gadget('g-10', { size: 1 }, { status: { phase: 'Made up' } })),
      apply(
        GADGETS,
        'controller',
        gadget('g-10', { size: 9 }, { status: { phase: 'Ready', conditions: [{ type: 'Ready', status: 'True' }] } }),
        { subresource: 'status' },
      ),
      merge(`${GADGETS}/g-10/status`, 'other', { status: { conditions: [{ type: 'Ready', status: 'False' }] } }),
      put(`${GADGETS}/g-10`, 'a', (object) => {
        object['status'].phase = 'Ignored'
        object['spec'].size = 2
      }),
      apply(GADGETS, 'controller', gadget('g-10', {}, { status: { phase: 'Ready' } }), { subresource: 'status' }),
    ],
  },
  {
    name: 'an embedded object is merged like an object of its own',
    steps: [
      apply(
        GADGETS,
        'a',
        gadget('g-11', {
          template: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p', finalizers: ['e.com/x'] } },
        }),
      ),
      apply(
        GADGETS,
        'b',
        gadget('g-11', {
          template: { apiVersion: 'v1', kind: 'Pod', metadata: { finalizers: ['e.com/y'] }, spec: { a: [1] } },
        }),
      ),
    ],
  },
  {
    name: 'managers of two versions share an object',
    steps: [
      apply(GADGETS, 'a', gadget('g-12', { size: 1, tags: ['x'] })),
      apply(GADGETS_V2, 'b', second(gadget('g-12', { size: 2 }))),
      force(GADGETS_V2, 'b', second(gadget('g-12', { size: 2, tags: ['y'] }))),
      apply(GADGETS_V2, 'a', second(gadget('g-12', { colour: 'blue' }))),
      merge(`${GADGETS}/g-12`, 'c', { spec: { colour: 'green' } }),
    ],
  },
  {
    name: 'unknown fields of a custom object cannot be applied',
    steps: [
      apply(GADGETS, 'a', gadget('g-13', { nested: { inner: { c: '1' } } })),
      apply(GADGETS, 'a', gadget('g-13', { tags: ['x', 'x'] })),
      apply(GADGETS, 'a', gadget('g-13', { size: 'x' })),
    ],
  },
  {
    name: 'a patch that removes fields leaves them with nobody',
    steps: [
      apply(GADGETS, 'a', gadget('g-14', { size: 1, labels: { x: '1' }, tags: ['x'] })),
      merge(`${GADGETS}/g-14`, 'c', { spec: { labels: null, tags: null } }),
      merge(`${GADGETS}/g-14`, 'c', { spec: { size: null } }),
    ],
  },
  {
    name: 'the scale endpoint of a custom kind owns the replicas it sets',
    steps: [
      apply(GADGETS, 'a', gadget('g-15', { size: 1 })),
      merge(`${GADGETS}/g-15/scale`, 'scaler', { spec: { replicas: 3 } }),
      apply(GADGETS, 'a', gadget('g-15', { size: 1 })),
    ],
  },
  {
    name: 'an apply through the scale endpoint of a custom kind meets who owns what replicas stand for',
    steps: [
      apply(GADGETS, 'a', gadget('g-16', { size: 1 })),
      apply(GADGETS, 'scaler', SCALE_TO_THREE, { subresource: 'scale', name: 'g-16' }),
      merge(`${GADGETS}/g-16`, 'look', {}),
      apply(GADGETS, 'a', gadget('g-16', { size: 1 })),
    ],
  },
]
