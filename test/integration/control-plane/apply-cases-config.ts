/** Applies, and writes between them, of ConfigMaps: the rules that hold for every kind; and what is refused. */

import { configMap, deployment, part, service } from './apply-objects.ts'
import { apply, type Case, CONFIG_MAPS, create, DEPLOYMENTS, force, merge, put, SERVICES } from './apply-steps.ts'

export const CONFIG_CASES: readonly Case[] = [
  {
    name: 'an apply creates what is not there, and the same apply again changes nothing',
    steps: [
      apply(CONFIG_MAPS, 'a', configMap('cm-1', { x: '1' })),
      apply(CONFIG_MAPS, 'a', configMap('cm-1', { x: '1' })),
    ],
  },
  {
    name: 'a field that its manager applies no more goes',
    steps: [
      apply(CONFIG_MAPS, 'a', configMap('cm-2', { x: '1', y: '2' })),
      apply(CONFIG_MAPS, 'a', configMap('cm-2', { x: '1' })),
    ],
  },
  {
    name: 'a field that another manager applies too stays',
    steps: [
      apply(CONFIG_MAPS, 'a', configMap('cm-3', { x: '1', y: '2' })),
      apply(CONFIG_MAPS, 'b', configMap('cm-3', { y: '2' })),
      apply(CONFIG_MAPS, 'a', configMap('cm-3', { x: '1' })),
      apply(CONFIG_MAPS, 'b', configMap('cm-3', {})),
    ],
  },
  {
    name: 'another value of an owned field is a conflict, and force takes the field over',
    steps: [
      apply(CONFIG_MAPS, 'a', configMap('cm-4', { x: '1' })),
      apply(CONFIG_MAPS, 'b', configMap('cm-4', { x: '2' })),
      force(CONFIG_MAPS, 'b', configMap('cm-4', { x: '2' })),
      apply(CONFIG_MAPS, 'a', configMap('cm-4', { x: '1' })),
    ],
  },
  {
    name: 'several conflicts are told by manager',
    steps: [
      apply(CONFIG_MAPS, 'a', configMap('cm-5', { x: '1', y: '1' })),
      merge(`${CONFIG_MAPS}/cm-5`, 'editor', { data: { z: '1' } }),
      apply(CONFIG_MAPS, 'b', configMap('cm-5', { x: '2', y: '2', z: '2' })),
    ],
  },
  {
    name: 'an update takes what it changes from an applier',
    steps: [
      apply(CONFIG_MAPS, 'a', configMap('cm-6', { x: '1', y: '1' })),
      merge(`${CONFIG_MAPS}/cm-6`, 'editor', { data: { x: '2' } }),
      apply(CONFIG_MAPS, 'a', configMap('cm-6', { x: '1', y: '1' })),
      apply(CONFIG_MAPS, 'a', configMap('cm-6', { y: '1' })),
    ],
  },
  {
    name: 'a created object belongs to who created it',
    steps: [
      create(CONFIG_MAPS, 'creator', configMap('cm-7', { x: '1' }, { labels: { l: '1' }, annotations: { n: '1' } })),
      put(`${CONFIG_MAPS}/cm-7`, 'other', (object) => Object.assign(object['data'], { y: '1' })),
      put(`${CONFIG_MAPS}/cm-7`, 'other', (object) => delete object['data'].x),
      put(`${CONFIG_MAPS}/cm-7`, 'other', () => undefined),
    ],
  },
  {
    name: 'who names no manager is named after its User-Agent',
    steps: [
      { ...create(CONFIG_MAPS, '', configMap('cm-8', { x: '1' })), userAgent: 'my-tool/1.2 (linux)' },
      { ...merge(`${CONFIG_MAPS}/cm-8`, '', { data: { y: '1' } }), userAgent: 'other' },
    ],
  },
  {
    name: 'finalizers are a set, labels and annotations are owned one by one',
    steps: [
      apply(
        CONFIG_MAPS,
        'a',
        configMap('cm-9', {}, { finalizers: ['e.com/a', 'e.com/b'], labels: { l: '1', m: '2' } }),
      ),
      apply(CONFIG_MAPS, 'b', configMap('cm-9', {}, { finalizers: ['e.com/c', 'e.com/b'], annotations: { n: '1' } })),
      apply(CONFIG_MAPS, 'a', configMap('cm-9', {}, { finalizers: ['e.com/a'], labels: { l: '1' } })),
      merge(`${CONFIG_MAPS}/cm-9`, 'x', { metadata: { finalizers: null } }),
    ],
  },
  {
    name: 'an empty list of managed fields resets them, and a later apply finds a former owner',
    steps: [
      apply(CONFIG_MAPS, 'a', configMap('cm-10', { x: '1' })),
      put(`${CONFIG_MAPS}/cm-10`, 'b', (object) => {
        object['metadata'].managedFields = []
      }),
      merge(`${CONFIG_MAPS}/cm-10`, 'c', { data: { y: '1' } }),
      apply(CONFIG_MAPS, 'd', configMap('cm-10', { x: '2' })),
      apply(CONFIG_MAPS, 'd', configMap('cm-10', { x: '1', z: '1' })),
    ],
  },
  {
    name: 'one empty entry resets them too, and a PUT without the list keeps it',
    steps: [
      apply(CONFIG_MAPS, 'a', configMap('cm-11', { x: '1' })),
      put(`${CONFIG_MAPS}/cm-11`, 'b', (object) => {
        delete object['metadata'].managedFields
        object['data'].y = '2'
      }),
      merge(`${CONFIG_MAPS}/cm-11`, 'b', { metadata: { managedFields: [{}] } }),
    ],
  },
  {
    name: 'a PUT may hand fields to another manager',
    steps: [
      create(CONFIG_MAPS, 'a', configMap('cm-12', { x: '1', y: '2' })),
      put(`${CONFIG_MAPS}/cm-12`, 'b', (object) => {
        object['metadata'].managedFields[0].manager = 'renamed'
        object['metadata'].managedFields[0].operation = 'Apply'
      }),
      put(`${CONFIG_MAPS}/cm-12`, 'b', (object) => {
        object['metadata'].managedFields[0].fieldsV1 = 'rubbish'
      }),
      put(`${CONFIG_MAPS}/cm-12`, 'b', (object) => {
        object['metadata'].managedFields[0].operation = 'Paint'
      }),
      apply(CONFIG_MAPS, 'renamed', configMap('cm-12', { x: '1' })),
    ],
  },
  {
    name: 'an apply that states what is there already makes its manager an owner without a change',
    steps: [
      create(CONFIG_MAPS, 'a', configMap('cm-13', { x: '1' })),
      apply(CONFIG_MAPS, 'b', configMap('cm-13', { x: '1' })),
      apply(CONFIG_MAPS, 'b', configMap('cm-13', { x: '2' })),
    ],
  },
  {
    name: 'more than ten updaters are remembered together',
    steps: [
      create(CONFIG_MAPS, 'm00', configMap('cm-14', { k: '0' })),
      ...Array.from({ length: 11 }, (_, index) =>
        merge(`${CONFIG_MAPS}/cm-14`, `m${String(index + 1).padStart(2, '0')}`, { data: { [`k${index}`]: '1' } }),
      ),
    ],
  },
  {
    name: 'client-side apply hands over to the manager kubectl',
    steps: [
      create(
        CONFIG_MAPS,
        'kubectl-client-side-apply',
        configMap(
          'cm-15',
          { x: '1' },
          {
            annotations: {
              'kubectl.kubernetes.io/last-applied-configuration': `${JSON.stringify(configMap('cm-15', { x: '1' }))}\n`,
            },
          },
        ),
      ),
      apply(CONFIG_MAPS, 'someone', configMap('cm-15', { x: '2' })),
      apply(CONFIG_MAPS, 'kubectl', configMap('cm-15', { x: '2 < 3' })),
    ],
  },
]

export const REFUSED_CASES: readonly Case[] = [
  { name: 'an apply needs a manager', steps: [apply(CONFIG_MAPS, '', configMap('no-1', {}))] },
  { name: 'a manager is at most 128 bytes', steps: [apply(CONFIG_MAPS, 'x'.repeat(129), configMap('no-2', {}))] },
  {
    name: 'managed fields cannot be applied',
    steps: [apply(CONFIG_MAPS, 'a', configMap('no-3', {}, { managedFields: [] }))],
  },
  {
    name: 'the body is of the kind and version of the path',
    steps: [
      apply(CONFIG_MAPS, 'a', { ...configMap('no-4', {}), kind: 'Secret' }),
      apply(CONFIG_MAPS, 'a', { ...configMap('no-4', {}), apiVersion: 'v2' }),
      apply(DEPLOYMENTS, 'a', { ...deployment('no-4'), apiVersion: 'apps/v1beta1' }),
    ],
  },
  {
    name: 'the name of the body is that of the path',
    steps: [
      apply(CONFIG_MAPS, 'a', configMap('no-5', {}), { name: 'other' }),
      apply(CONFIG_MAPS, 'a', { apiVersion: 'v1', kind: 'ConfigMap' }, { name: 'no-5' }),
    ],
  },
  {
    name: 'fields that no schema knows are refused',
    steps: [
      apply(CONFIG_MAPS, 'a', { ...configMap('no-6', {}), nonsense: 1 }),
      apply(DEPLOYMENTS, 'a', part('no-6', { template: { spec: { hostnam: 'x' } } })),
    ],
  },
  {
    name: 'values of the wrong type are refused',
    steps: [apply(DEPLOYMENTS, 'a', part('no-7', { replicas: 'two' }))],
  },
  {
    name: 'two items with the same keys are refused',
    steps: [
      apply(
        SERVICES,
        'a',
        service('no-8', [
          { port: 80, name: 'a' },
          { port: 80, name: 'b' },
        ]),
      ),
    ],
  },
  {
    name: 'a resourceVersion or uid of another object fences',
    steps: [
      apply(CONFIG_MAPS, 'a', configMap('no-9', {}, { uid: 'not-there' })),
      apply(CONFIG_MAPS, 'a', configMap('no-9', {}, { resourceVersion: '1' })),
      apply(CONFIG_MAPS, 'a', configMap('no-9', { x: '1' })),
      apply(CONFIG_MAPS, 'a', configMap('no-9', { x: '2' }, { resourceVersion: '1' })),
    ],
  },
  {
    name: 'other patches take no force, and CBOR is not spoken',
    steps: [
      create(CONFIG_MAPS, 'a', configMap('no-10', {})),
      merge(`${CONFIG_MAPS}/no-10`, 'a&force=true', { data: { x: '1' } }),
      { ...apply(CONFIG_MAPS, 'a', configMap('no-10', {})), contentType: 'application/apply-patch+cbor' },
    ],
  },
  {
    name: 'a dry run answers as the write would and stores nothing',
    steps: [
      apply(CONFIG_MAPS, 'a', configMap('no-11', { x: '1' }), { query: 'dryRun=All' }),
      apply(CONFIG_MAPS, 'b', configMap('no-11', { y: '1' })),
    ],
  },
  {
    name: 'an apply of the status does not create',
    steps: [apply(DEPLOYMENTS, 'a', part('no-12', {}), { subresource: 'status' })],
  },
]
