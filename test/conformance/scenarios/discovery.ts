/** What a server says of itself. */
import { del, get, post, type Scenario, send } from '../scenario.ts'
import { CONFIGMAPS } from './objects.ts'

type Named = { name: string }
const names = (items: readonly Named[]) => items.map(({ name }) => name)
const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList'

interface Discovered {
  metadata: { name: string }
  versions: { version: string; resources: { resource: string }[] }[]
}

export const discoveryScenarios: readonly Scenario[] = [
  {
    name: 'discovery',
    needsNamespace: false,
    steps: [
      get('/version', { pick: (body) => [Object.keys(body), body.major, body.minor, body.gitVersion] }),
      get('/healthz'),
      get('/livez'),
      get('/readyz'),
      get('/api'),
      get('/api/v1'),
      get('/apis', {
        pick: (body) =>
          names(body.groups)
            .filter((name) => !name.includes('example.com'))
            .sort(),
      }),
      get('/apis/apps'),
      get('/apis/apps/v1'),
      get('/apis/policy/v1'),
      get('/apis/rbac.authorization.k8s.io/v1'),
      get('/apis/authorization.k8s.io/v1'),
      get('/apis/apiextensions.k8s.io/v1'),
      get('/apis', {
        headers: { accept: AGGREGATED },
        pick: (body) => [
          body.kind,
          body.apiVersion,
          body.items
            .filter((item: Discovered) => !item.metadata.name.includes('example.com'))
            .map((item: Discovered) => [
              item.metadata.name,
              ...item.versions.map(({ version, resources }) => [
                version,
                ...resources.map(({ resource }) => resource).sort(),
              ]),
            ])
            .sort(),
        ],
      }),
      get('/api', {
        headers: { accept: AGGREGATED },
        pick: (body) =>
          body.items[0].versions[0].resources.find(({ resource }: { resource: string }) => resource === 'pods'),
      }),
      get('/openapi/v3', {
        pick: (body) =>
          Object.keys(body.paths)
            .filter((path) => !path.includes('example.com'))
            .sort(),
      }),
      get('/openapi/v3/apis/nothing/v1'),
      get('/openapi/v3/apis/apps/v1', { pick: (body) => [body.openapi, Object.keys(body.paths).sort()] }),
    ],
  },
  {
    name: 'paths',
    steps: [
      get('/nothing'),
      get('/api/v2'),
      get('/api/v1/nothings'),
      get('/apis/nothing.example.com'),
      get('/apis/nothing.example.com/v1/things'),
      get('/apis/apps/v9'),
      get('/apis/apps/v1/namespaces/{ns}/pods'),
      get('/api/v1/namespaces/{ns}/nodes'),
      get('/api/v1/namespaces/c-absent/configmaps'),
      get('/api/v1/namespaces/c-absent'),
      send('PUT', CONFIGMAPS, { body: {} }),
      send('POST', `${CONFIGMAPS}/a`, { body: {} }),
      send('PATCH', CONFIGMAPS, { body: {}, headers: { 'content-type': 'application/merge-patch+json' } }),
      post('/version', {}),
      del('/api/v1/namespaces'),
      get('/api/v1/namespaces/{ns}/bindings'),
      get('/apis/authorization.k8s.io/v1/subjectaccessreviews'),
      get('/api/v1/componentstatuses', { pick: (body) => body.kind }),
      send('HEAD', CONFIGMAPS),
      send('OPTIONS', CONFIGMAPS),
      get(`${CONFIGMAPS}/`),
      get(`/${CONFIGMAPS}`),
      get('/api/v1/namespaces/{ns}/configmaps', { headers: { authorization: 'Bearer wrong' } }),
      get('/api/v1/namespaces/{ns}/configmaps', { headers: { authorization: '' } }),
      get('/version', { headers: { authorization: '' }, pick: (body) => body.major }),
    ],
  },
]
