/** What single built-in kinds do beyond their schema, by group and kind. */
import type { Strategy } from '../../registry/resource-definition.ts'
import { NO_CLASSES } from '../priority-classes.ts'
import { NOTHING_TAKEN } from '../service-addresses.ts'
import { clusterRoleBindingStrategy, clusterRoleStrategy, roleBindingStrategy, roleStrategy } from './access.ts'
import {
  admissionBindingStrategy,
  admissionPolicyStrategy,
  mutatingWebhookStrategy,
  validatingWebhookStrategy,
} from './admission.ts'
import { autoscalerStrategy } from './autoscaling.ts'
import { configMapStrategy, namespaceStrategy, nodeStrategy, secretStrategy } from './configuration.ts'
import { flowSchemaStrategy, priorityLevelStrategy } from './flow-control.ts'
import { cronJobStrategy, jobStrategy } from './jobs.ts'
import * as others from './others.ts'
import { createPodStrategy } from './pod.ts'
import { resourceQuotaStrategy } from './quota.ts'
import { createServiceStrategy } from './service.ts'
import {
  daemonSetStrategy,
  deploymentStrategy,
  replicaSetStrategy,
  replicationControllerStrategy,
  statefulSetStrategy,
} from './workloads.ts'

const ADMISSION = 'admissionregistration.k8s.io'
const RBAC = 'rbac.authorization.k8s.io'

const STRATEGIES: Readonly<Record<string, Strategy>> = {
  '/Namespace': namespaceStrategy,
  '/ConfigMap': configMapStrategy,
  '/Secret': secretStrategy,
  '/Node': nodeStrategy,
  '/Pod': createPodStrategy(NO_CLASSES),
  '/Event': others.eventStrategy,
  '/Service': createServiceStrategy(NOTHING_TAKEN),
  '/PodTemplate': others.podTemplateStrategy,
  '/Endpoints': others.endpointsStrategy,
  '/LimitRange': others.limitRangeStrategy,
  '/PersistentVolume': others.persistentVolumeStrategy,
  '/PersistentVolumeClaim': others.persistentVolumeClaimStrategy,
  '/ResourceQuota': resourceQuotaStrategy,
  '/ReplicationController': replicationControllerStrategy,
  'apps/ControllerRevision': others.revisionStrategy,
  'apps/DaemonSet': daemonSetStrategy,
  'apps/Deployment': deploymentStrategy,
  'apps/ReplicaSet': replicaSetStrategy,
  'apps/StatefulSet': statefulSetStrategy,
  'autoscaling/HorizontalPodAutoscaler': autoscalerStrategy,
  'batch/CronJob': cronJobStrategy,
  'batch/Job': jobStrategy,
  'coordination.k8s.io/Lease': others.leaseStrategy,
  'discovery.k8s.io/EndpointSlice': others.endpointSliceStrategy,
  'apiregistration.k8s.io/APIService': others.apiServiceStrategy,
  'flowcontrol.apiserver.k8s.io/FlowSchema': flowSchemaStrategy,
  'flowcontrol.apiserver.k8s.io/PriorityLevelConfiguration': priorityLevelStrategy,
  'networking.k8s.io/Ingress': others.ingressStrategy,
  'networking.k8s.io/IngressClass': others.ingressClassStrategy,
  'networking.k8s.io/NetworkPolicy': others.networkPolicyStrategy,
  'node.k8s.io/RuntimeClass': others.runtimeClassStrategy,
  'policy/PodDisruptionBudget': others.podDisruptionBudgetStrategy,
  'resource.k8s.io/ResourceClaim': others.resourceClaimStrategy,
  'resource.k8s.io/ResourceClaimTemplate': others.resourceClaimTemplateStrategy,
  'scheduling.k8s.io/PriorityClass': others.priorityClassStrategy,
  'storage.k8s.io/CSIDriver': others.csiDriverStrategy,
  'storage.k8s.io/StorageClass': others.storageClassStrategy,
  'storage.k8s.io/VolumeAttributesClass': others.volumeAttributesClassStrategy,
  [`${ADMISSION}/MutatingWebhookConfiguration`]: mutatingWebhookStrategy,
  [`${ADMISSION}/ValidatingWebhookConfiguration`]: validatingWebhookStrategy,
  [`${ADMISSION}/MutatingAdmissionPolicy`]: admissionPolicyStrategy,
  [`${ADMISSION}/ValidatingAdmissionPolicy`]: admissionPolicyStrategy,
  [`${ADMISSION}/MutatingAdmissionPolicyBinding`]: admissionBindingStrategy,
  [`${ADMISSION}/ValidatingAdmissionPolicyBinding`]: admissionBindingStrategy,
  [`${RBAC}/ClusterRole`]: clusterRoleStrategy,
  [`${RBAC}/ClusterRoleBinding`]: clusterRoleBindingStrategy,
  [`${RBAC}/Role`]: roleStrategy,
  [`${RBAC}/RoleBinding`]: roleBindingStrategy,
}

export function strategyOf(group: string, kind: string): Strategy | undefined {
  return STRATEGIES[`${group}/${kind}`]
}
