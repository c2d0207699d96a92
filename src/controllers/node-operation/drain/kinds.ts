/** What a drain reads of a cluster. */
import type { KubeObject, ResourceType } from '../../../api/resource.ts'
import type { DisruptionBudget } from '../../../core/drain/model.ts'
import type { RoomPod } from '../../../core/drain/room.ts'

export const DRAIN_PODS: ResourceType<RoomPod> = {
  group: '',
  version: 'v1',
  plural: 'pods',
  kind: 'Pod',
  namespaced: true,
}

export const DISRUPTION_BUDGETS: ResourceType<DisruptionBudget> = {
  group: 'policy',
  version: 'v1',
  plural: 'poddisruptionbudgets',
  kind: 'PodDisruptionBudget',
  namespaced: true,
}

export const DAEMON_SETS: ResourceType = {
  group: 'apps',
  version: 'v1',
  plural: 'daemonsets',
  kind: 'DaemonSet',
  namespaced: true,
}

export interface VolumeAttachment extends KubeObject {
  readonly spec?: { readonly nodeName?: string; readonly source?: { readonly persistentVolumeName?: string } }
}

export const VOLUME_ATTACHMENTS: ResourceType<VolumeAttachment> = {
  group: 'storage.k8s.io',
  version: 'v1',
  plural: 'volumeattachments',
  kind: 'VolumeAttachment',
  namespaced: false,
}

export interface PersistentVolume extends KubeObject {
  readonly spec?: { readonly claimRef?: { readonly namespace?: string; readonly name?: string } }
}

export const PERSISTENT_VOLUMES: ResourceType<PersistentVolume> = {
  group: '',
  version: 'v1',
  plural: 'persistentvolumes',
  kind: 'PersistentVolume',
  namespaced: false,
}
