/** What the syncer of a vkobe member may do on the host: write its own guest namespace, read nodes, and nothing else. */
import { type Block, labelsOf, type Manifest, metadataOf } from '../../render/manifest.ts'
import { guestNamespace, type VkobeInput, vkobeOptions } from './input.ts'

const GROUP_OF: Readonly<Record<string, string>> = { ingresses: 'networking.k8s.io' }
const WRITE = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete']
const RBAC = 'rbac.authorization.k8s.io'

export function accessManifests(input: VkobeInput): Manifest[] {
  const name = `${input.name}-vkobe`
  const namespace = guestNamespace(input)
  const labels = labelsOf(input)
  const subjects = [{ kind: 'ServiceAccount', name, namespace: input.namespace }]
  const binding = (kind: string, metadata: Block, role: Block): Manifest => ({
    apiVersion: `${RBAC}/v1`,
    kind,
    metadata,
    subjects,
    roleRef: { apiGroup: RBAC, ...role },
  })
  return [
    {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: namespace, labels: { ...labels, 'pod-security.kubernetes.io/enforce': 'baseline' } },
    },
    {
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: metadataOf(input, 'vkobe'),
      automountServiceAccountToken: false,
    },
    { apiVersion: `${RBAC}/v1`, kind: 'Role', metadata: { name, namespace, labels }, rules: syncerRules(input) },
    binding('RoleBinding', { name, namespace, labels }, { kind: 'Role', name }),
    {
      apiVersion: `${RBAC}/v1`,
      kind: 'ClusterRole',
      metadata: { name: `${name}-nodes`, labels },
      rules: [{ apiGroups: [''], resources: ['nodes'], verbs: ['get', 'list', 'watch'] }],
    },
    binding('ClusterRoleBinding', { name: `${name}-nodes`, labels }, { kind: 'ClusterRole', name: `${name}-nodes` }),
  ]
}

/** One rule for each API group among the syncers. */
function syncerRules(input: VkobeInput): Block[] {
  const groups = new Map<string, string[]>()
  for (const plural of vkobeOptions(input).syncers) {
    const group = GROUP_OF[plural] ?? ''
    const resources = plural === 'pods' ? ['pods', 'pods/log', 'pods/exec'] : [plural]
    groups.set(group, [...(groups.get(group) ?? []), ...resources])
  }
  return [...groups].map(([group, resources]) => ({ apiGroups: [group], resources, verbs: WRITE }))
}
