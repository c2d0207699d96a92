/** `spec.backend` of a pool: what makes its clusters, and how. */
import type { Static } from '@sinclair/typebox'
import { anyObject, choice, count, defaulted, flag, list, name, object, optional, text, withRules } from '../field.ts'

export const BACKEND_TYPES = ['k3s', 'k0s', 'capi', 'vkobe', 'vcluster', 'embedded'] as const
export type BackendType = (typeof BACKEND_TYPES)[number]

const PORT = { minimum: 1, maximum: 65_535 }
const SYNCERS = ['pods', 'services', 'configmaps', 'secrets', 'endpoints', 'ingresses']
const CONTROLLERS = [
  'deployment',
  'replicaset',
  'statefulset',
  'daemonset',
  'job',
  'cronjob',
  'namespace',
  'serviceaccount',
  'garbagecollector',
]

const DatastoreSchema = object('An external datastore of the members.', {
  secretRef: name('Name of the Secret that holds the connection URL.'),
  secretKey: defaulted(name('Key of the connection URL in that Secret.'), 'connection-url'),
  goldenTemplates: defaulted(flag('Start members from a copy of a prepared template database.'), false),
})

const CapiSchema = object('Cluster API: which infrastructure object is created for a member.', {
  infrastructureApiVersion: name(
    'apiVersion of the infrastructure object, such as `infrastructure.cluster.x-k8s.io/v1beta1`.',
  ),
  infrastructureKind: name('Kind of the infrastructure object, such as `DockerCluster`.'),
  infrastructurePlural: optional(name('Plural resource name of that kind; derived from the kind when left out.')),
  infrastructureSpec: optional(anyObject('The `spec` of the infrastructure object, as its provider defines it.')),
})

const VkobeSchema = object('vkobe: a virtual control plane whose workload runs on the host cluster.', {
  dataStoreRef: object('The KobeStore that keeps the state of the member.', { name: name('Name of the KobeStore.') }),
  version: defaulted(name('Kubernetes version of the control plane images.'), '1.32'),
  syncers: defaulted(list('Kinds that are copied to the host cluster.', text('Plural name of a kind.')), SYNCERS),
  proxyPort: defaulted(count('Port of the API proxy.', PORT), 8443),
  metricsPort: defaulted(count('Port of the metrics endpoint.', PORT), 9090),
  kcm: optional(
    object('The controller manager of the member.', {
      controllers: defaulted(list('Controllers that run.', text('Name of a controller.')), CONTROLLERS),
    }),
  ),
})

const VclusterSchema = object('vcluster: a virtual cluster installed by its Helm chart.', {
  chartVersion: optional(name('Version of the Helm chart; the one this operator was tested with when left out.')),
  values: optional(text('Helm values as YAML text, merged over the values of the operator.')),
})

export const EMBEDDED_ISOLATIONS = ['process', 'shared'] as const
export const EMBEDDED_STORAGES = ['sqlite', 'memory'] as const

export const EmbeddedSchema = object(
  'Embedded: each member is an API server of its own beside the operator, without containers.',
  {
    isolation: defaulted(
      choice(
        EMBEDDED_ISOLATIONS,
        '`process`: each member is a process of its own. `shared`: many members live in one process, each with its own store and CA.',
      ),
      'process',
    ),
    storage: defaulted(
      choice(
        EMBEDDED_STORAGES,
        '`sqlite`: a file that survives restarts. `memory`: nothing is written; state ends with the process.',
      ),
      'sqlite',
    ),
  },
)

export const BackendSchema = withRules(
  object('What makes the clusters of the pool, and how.', {
    type: defaulted(choice(BACKEND_TYPES, 'Which backend makes the clusters.'), 'k3s'),
    datastore: optional(DatastoreSchema),
    capi: optional(CapiSchema),
    vkobe: optional(VkobeSchema),
    vcluster: optional(VclusterSchema),
    embedded: optional(EmbeddedSchema),
  }),
  [
    {
      rule: "self.type != 'capi' || has(self.capi)",
      message: 'backend.capi is required when type is capi: it names the infrastructure object to create',
      reason: 'FieldValueRequired',
      fieldPath: '.capi',
    },
  ],
)

/** The backend block, defaults filled. */
export type Backend = Static<typeof BackendSchema>
export type EmbeddedBackend = Static<typeof EmbeddedSchema>
