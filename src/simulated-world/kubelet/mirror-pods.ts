/** Static pods: the kubelet shows each as a mirror pod, and makes it again when somebody deletes that. */
import { annotationOf, NODE_ANNOTATIONS } from '../annotations.ts'
import { NODES, type Node, type Pod } from '../kinds.ts'
import { ownerReferenceTo } from '../objects/pods.ts'
import { templateHash } from '../objects/template-hash.ts'

const MIRROR = 'kubernetes.io/config.mirror'
const NAMESPACE = 'kube-system'

export function staticPodNames(node: Node): string[] {
  const text = annotationOf(node, NODE_ANNOTATIONS.staticPods) ?? ''
  return text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
}

export function renderMirrorPod(node: Node, name: string): Pod {
  const nodeName = node.metadata.name ?? ''
  const spec = {
    nodeName,
    hostNetwork: true,
    containers: [{ name, image: `simulated/${name}` }],
    tolerations: [{ operator: 'Exists', effect: 'NoExecute' }],
  }
  const hash = templateHash({ spec })
  return {
    metadata: {
      name: `${name}-${nodeName}`,
      namespace: NAMESPACE,
      labels: { component: name, tier: 'control-plane' },
      annotations: {
        [MIRROR]: hash,
        'kubernetes.io/config.hash': hash,
        'kubernetes.io/config.source': 'file',
      },
      // A mirror pod is controlled by its Node, and does not block its deletion.
      ownerReferences: [{ ...ownerReferenceTo(NODES, node), blockOwnerDeletion: false }],
    },
    spec,
  }
}
