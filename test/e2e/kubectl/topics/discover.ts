import { topic } from '../step.ts'

/** The texts and enums of built-in kinds are not compared: the reference of differences tells why. */
const FIELDS = `| grep "$(printf '\t')<|^GROUP|^KIND|^VERSION|^FIELD:"`

export const discover = topic('discover', [
  `kubectl explain pods.spec.containers ${FIELDS}`,
  `kubectl explain deployment --recursive ${FIELDS}`,
  `kubectl explain deployment.spec.strategy.rollingUpdate.maxSurge ${FIELDS}`,
  `kubectl explain gadget ${FIELDS}`,
  'kubectl explain gadgets.spec',
  'kubectl explain gadgets.spec.parts --recursive',
  'kubectl explain gadgets.spec.nothing',
  'kubectl explain nothings',
  `kubectl explain svc.spec.type ${FIELDS}`,
  `kubectl explain crd.spec.names ${FIELDS}`,
  `kubectl explain hpa --api-version=autoscaling/v1 ${FIELDS}`,
  `kubectl explain configmap --output=plaintext-openapiv2 ${FIELDS}`,
  'kubectl explain gadgets.spec.color --output=plaintext-openapiv2',
  ['kubectl api-resources', { unordered: true }],
  'kubectl api-resources --api-group=apps -o wide --sort-by=name',
  'kubectl api-resources --namespaced=false -o name --sort-by=name',
  'kubectl api-resources --verbs=deletecollection --api-group=parity.example.com',
  'kubectl api-resources --categories=all --sort-by=kind',
  'kubectl api-versions',
  'kubectl cluster-info',
  'kubectl version -o json | grep -E "major|minor|gitVersion"',
  'kubectl get --raw /openapi/v3 | head -c 11',
  'kubectl get --raw /api',
  'kubectl get --raw /apis/policy/v1',
  'kubectl get --raw /version | grep -E "major|minor|platform"',
  'kubectl config view --minify -o jsonpath={.contexts[0].context.namespace}',
  'kubectl config current-context',
  'kubectl config get-contexts -o name',
])
