/** `spec.cluster` of a pool: the shape of each member. */
import type { Static } from '@sinclair/typebox'
import {
  choice,
  count,
  defaulted,
  flag,
  keyedList,
  list,
  longCount,
  mapOf,
  name,
  object,
  optional,
  quantityMap,
  stringMap,
  text,
} from '../field.ts'

export const TAINT_EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'] as const

const PersistenceSchema = object('Keeps the data of the control plane on a volume claim.', {
  storageType: optional(text('Kind of storage, such as `emptyDir` or `dynamic`.')),
  storageClassName: optional(text('Storage class of the claim; the default class of the host cluster when left out.')),
  storageRequestSize: optional(text('Size of the claim, such as `10Gi` (which is used when left out).')),
})

const ExposeSchema = object('How the API server of a member is reached from outside the host cluster.', {
  exposeType: name('Type of the Service, such as `ClusterIP`, `NodePort` or `LoadBalancer`.'),
  ingressClassName: optional(text('Class of the Ingress, where one is made.')),
  nodePort: optional(
    count('Fixed node port; chosen by the host cluster when left out.', { minimum: 1, maximum: 65_535 }),
  ),
})

const TaintSchema = object('One taint of the nodes of a member.', {
  key: name('Key of the taint.'),
  value: optional(text('Value of the taint.')),
  effect: choice(TAINT_EFFECTS, 'What happens to pods that do not tolerate the taint.'),
})

const SelectorSchema = object('Which nodes of the host cluster the pods of a member may run on.', {
  matchLabels: optional(stringMap('Labels a node must have, with these values.')),
  matchExpressions: optional(
    list(
      'Further requirements; all must hold.',
      object('One requirement on a label.', {
        key: name('Label key.'),
        operator: choice(['In', 'NotIn', 'Exists', 'DoesNotExist'], 'How the label is compared with the values.'),
        values: optional(list('Values for `In` and `NotIn`.', text('One value.'))),
      }),
    ),
  ),
})

const TolerationSchema = object('One toleration of the pods of a member.', {
  key: optional(text('Key of the taint; empty with operator `Exists` tolerates every taint.')),
  operator: optional(choice(['Exists', 'Equal'], 'How the taint is compared; `Equal` when left out.')),
  value: optional(text('Value of the taint, for `Equal`.')),
  effect: optional(choice(TAINT_EFFECTS, 'Effect of the taint; every effect when left out.')),
  tolerationSeconds: optional(longCount('How many seconds a `NoExecute` taint is tolerated; for ever when left out.')),
})

const PlacementSchema = object('Where in the host cluster the pods of a member run.', {
  node: optional(
    object('Requirements on the nodes.', {
      selector: optional(SelectorSchema),
      tolerations: defaulted(list('Tolerations of the pods.', TolerationSchema), []),
    }),
  ),
  intraInstance: optional(
    object('Pods of one member relative to each other.', {
      mode: choice(['Any', 'SameHost'], '`SameHost`: agents run on the node of their server.'),
    }),
  ),
  interInstance: optional(
    object('Members of the pool relative to each other.', {
      spread: optional(
        object('Keeps the servers of different members apart.', {
          strength: choice(['Preferred', 'Required'], 'Whether a member may stay unscheduled for it.'),
          topologyKey: defaulted(
            name('Node label whose values are the places to spread over.'),
            'kubernetes.io/hostname',
          ),
        }),
      ),
    }),
  ),
})

const SharedMountSchema = object('Shares the kubelet directory with the host, for storage drivers in a member.', {
  server: defaulted(flag('For the servers.'), true),
  agents: defaulted(flag('For the agents.'), true),
  hostPathRoot: defaulted(name('Directory on the host below which each member has its own.'), '/var/lib/kobe/leases'),
})

export const ClusterTemplateSchema = object('The shape of each member.', {
  version: name(
    'Version of the distribution or of Kubernetes, such as `v1.31.3+k3s1` (k3s), `v1.32.0+k0s.0` (k0s) or `v1.36.0` (embedded).',
    { maxLength: 128 },
  ),
  servers: defaulted(count('Number of control plane nodes.', { minimum: 1 }), 1),
  agents: optional(count('Number of worker nodes; none when left out. Backends k3s and k0s only.')),
  serverArgs: defaulted(list('Extra arguments of the server.', text('One argument.')), []),
  persistence: optional(PersistenceSchema),
  expose: optional(ExposeSchema),
  taints: optional(
    list('Taints of the nodes of a member. Left out: what the distribution does; an empty list: none.', TaintSchema),
  ),
  placement: optional(PlacementSchema),
  clusterDomain: optional(
    name('DNS domain of the host cluster, for names of Services; `cluster.local` when left out.'),
  ),
  registryMirrors: optional(
    mapOf(
      'Image registries and the mirrors to pull from instead. Backend k3s only.',
      list('Mirror endpoints in order of preference.', text('URL of a mirror.')),
    ),
  ),
  kubeletSharedMount: optional(SharedMountSchema),
})

export const ResourcesSchema = object('Compute resources of the control plane of each member.', {
  limits: optional(
    quantityMap('Most that may be used, by resource name. A limit without a request is its request too.'),
  ),
  requests: optional(quantityMap('What is reserved, by resource name.')),
})

export const AddonSchema = object('Something installed into each member before it is Ready.', {
  name: name('Name of the addon, unique in the list.'),
  manifest: optional(text('Kubernetes manifests as YAML text; wins over `url`.')),
  url: optional(
    text('https URL of the manifests. Private, loopback and link-local addresses are refused.', { maxLength: 2048 }),
  ),
})

export const AddonsSchema = keyedList('Installed into each member, in this order.', AddonSchema, ['name'])

export const BootstrapRefSchema = object('One BootstrapConfig and its parameters.', {
  name: name('Name of a BootstrapConfig in the same namespace.'),
  params: defaulted(stringMap('Values for the `{{name}}` placeholders of the BootstrapConfig.'), {}),
})

export const BootstrapsSchema = keyedList('Run in each new member, in this order.', BootstrapRefSchema, ['name'])

export type ClusterTemplate = Static<typeof ClusterTemplateSchema>
export type Resources = Static<typeof ResourcesSchema>
export type Addon = Static<typeof AddonSchema>
export type BootstrapRef = Static<typeof BootstrapRefSchema>
