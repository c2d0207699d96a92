/** What a watch tells, and in which order. */
import { close, del, get, METADATA, mergePatch, open, post, type Scenario, TABLE, watch } from '../scenario.ts'
import { CONFIGMAPS, configMap, PODS, pod } from './objects.ts'

const life = (name: string) => [
  post(CONFIGMAPS, configMap(name, {}, { labels: { on: 'no' } }), { save: { made: 'metadata.resourceVersion' } }),
  mergePatch(
    `${CONFIGMAPS}/${name}`,
    { metadata: { labels: { on: 'yes' } } },
    { save: { turned: 'metadata.resourceVersion' } },
  ),
  mergePatch(`${CONFIGMAPS}/${name}`, { data: { k: 'v' } }),
  mergePatch(`${CONFIGMAPS}/${name}`, { data: { k: 'v' } }),
  mergePatch(`${CONFIGMAPS}/${name}`, { metadata: { labels: { on: 'no' } } }),
  del(`${CONFIGMAPS}/${name}`),
]

const bookmarked = 'allowWatchBookmarks=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan'

export const watchScenarios: readonly Scenario[] = [
  {
    name: 'watch-live',
    steps: [
      open('all', `${CONFIGMAPS}?watch=true`),
      open('selected', `${CONFIGMAPS}?watch=true&labelSelector=on%3Dyes`),
      open('unselected', `${CONFIGMAPS}?watch=true&labelSelector=on%21%3Dyes`),
      open('one', `${CONFIGMAPS}?watch=true&fieldSelector=metadata.name%3Da`),
      open('other', `${CONFIGMAPS}?watch=true&fieldSelector=metadata.name%3Dother&timeoutSeconds=1`),
      open('namespaces', '/api/v1/namespaces?watch=true&fieldSelector=metadata.name%3D{ns}&timeoutSeconds=1'),
      ...life('a'),
      close('all', 5),
      close('selected', 3),
      close('unselected', 4),
      close('one', 5),
      close('other', 'end'),
      close('namespaces', 'end'),
    ],
  },
  {
    name: 'watch-resume',
    steps: [
      ...life('a'),
      ...watch(`${CONFIGMAPS}?resourceVersion={made}`),
      ...watch(`${CONFIGMAPS}?resourceVersion={turned}&labelSelector=on%3Dyes`),
      ...watch(`${CONFIGMAPS}?resourceVersion={made}&labelSelector=on%3Dyes`),
      ...watch(`${CONFIGMAPS}?resourceVersion=1`),
      post(CONFIGMAPS, configMap('b')),
      ...watch(CONFIGMAPS),
      ...watch(`${CONFIGMAPS}?resourceVersion=0`),
      ...watch(`${CONFIGMAPS}?resourceVersion=99999999`),
      ...watch(`${CONFIGMAPS}?labelSelector=%28`),
      ...watch(`${CONFIGMAPS}?fieldSelector=data.x%3D1`),
    ],
  },
  {
    name: 'watch-list',
    steps: [
      post(CONFIGMAPS, configMap('a')),
      post(CONFIGMAPS, configMap('b', {}, { labels: { on: 'yes' } })),
      ...watch(`${CONFIGMAPS}?${bookmarked}`),
      ...watch(`${CONFIGMAPS}?${bookmarked}&labelSelector=on%3Dyes`),
      ...watch(`${CONFIGMAPS}?allowWatchBookmarks=true&sendInitialEvents=false&resourceVersionMatch=NotOlderThan`),
      ...watch(`${CONFIGMAPS}?sendInitialEvents=true`),
      ...watch(`${CONFIGMAPS}?sendInitialEvents=true&resourceVersionMatch=NotOlderThan`),
      open('live', `${CONFIGMAPS}?watch=true&${bookmarked}`),
      mergePatch(`${CONFIGMAPS}/a`, { data: { k: 'v' } }),
      close('live', 4),
    ],
  },
  {
    name: 'watch-forms',
    steps: [
      post(PODS, pod('a'), { pick: () => undefined, save: { rv: 'metadata.resourceVersion' } }),
      ...watch(`${PODS}?resourceVersion=0`, { accept: TABLE }),
      ...watch(`${PODS}`, { accept: METADATA }),
      ...watch(`${PODS}`, { accept: 'application/yaml' }),
      get('/api/v1/watch/namespaces/{ns}/configmaps?timeoutSeconds=1'),
      post(PODS, pod('bound', {}, { nodeName: 'n1' }), {
        pick: () => undefined,
        save: { rv: 'metadata.resourceVersion' },
      }),
      open('node', `${PODS}?watch=true&fieldSelector=spec.nodeName%3Dn1&resourceVersion={rv}`),
      mergePatch(`${PODS}/bound/status`, { status: { phase: 'Running' } }, { pick: () => undefined }),
      del(`${PODS}/bound`, { gracePeriodSeconds: 9 }, { pick: () => undefined }),
      del(`${PODS}/bound`, { gracePeriodSeconds: 0 }, { pick: () => undefined }),
      close('node', 4),
      open('single', `${CONFIGMAPS}/x?watch=true`),
      open('missing-kind', '/api/v1/namespaces/{ns}/nothings?watch=true'),
      close('single', 'end'),
      close('missing-kind', 'end'),
    ],
  },
]
