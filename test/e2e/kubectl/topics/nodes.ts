import { topic } from '../step.ts'

const UID = "$(kubectl get rs guard -o jsonpath='{.metadata.uid}')"
const HEALTHY = JSON.stringify({
  status: { observedGeneration: 1, currentHealthy: 1, desiredHealthy: 1, expectedPods: 1, disruptionsAllowed: 0 },
})
const ALLOWED = JSON.stringify({
  status: { observedGeneration: 1, currentHealthy: 2, desiredHealthy: 1, expectedPods: 2, disruptionsAllowed: 1 },
})
const READY = '--subresource=status --type=merge --patch-file pod-status.json'

export const nodes = topic('nodes', [
  "sed 's/node-a/node-d/' node.yaml | kubectl create -f -",
  "sed 's/node-a/node-d/' node-status.json > status.json; kubectl patch node node-d --subresource=status --type=merge --patch-file status.json",
  `kubectl patch node node-d --type=merge -p '{"spec":{"taints":[{"key":"example.com/a","effect":"NoSchedule"}]}}'`,
  'kubectl create -f guard.yaml',
  `sed "s/OWNER/${UID}/" drain.yaml | kubectl create -f -`,
  'kubectl create pdb guarded --selector=app=guarded --min-available=1',
  `kubectl patch pdb guarded --subresource=status --type=merge -p '${HEALTHY}'`,
  `for p in alone guarded scratch; do kubectl patch pod $p ${READY}; done`,
  'kubectl cordon node-d',
  'kubectl cordon node-d',
  'kubectl get node node-d',
  'kubectl uncordon node-d',
  'kubectl cordon node-d --dry-run=server',
  'kubectl cordon missing',
  'kubectl taint node node-d dedicated=gpu:NoSchedule',
  'kubectl taint node node-d dedicated=cpu:NoSchedule',
  'kubectl taint node node-d dedicated=cpu:NoSchedule --overwrite',
  'kubectl taint node node-d other:NoExecute',
  "kubectl get node node-d -o jsonpath='{.spec.taints[*].key}'",
  'kubectl taint node node-d dedicated-',
  'kubectl taint node node-d other:NoExecute-',
  'kubectl taint node node-d other-',
  'kubectl taint node node-d bad=value:Sometimes',
  'kubectl label node node-d zone=west --overwrite',
  'kubectl drain node-d --dry-run=server --pod-selector=app=alone',
  'kubectl drain node-d --pod-selector=app=scratch',
  ['kubectl drain node-d --force --delete-emptydir-data --dry-run=server --timeout=4s', { unordered: true }],
  'kubectl drain node-d --force --delete-emptydir-data --pod-selector=app=guarded --timeout=4s',
  'kubectl get node node-d',
  ['kubectl drain node-d --force --delete-emptydir-data --timeout=4s', { unordered: true }],
  'kubectl get pods',
  `kubectl patch pdb guarded --subresource=status --type=merge -p '${ALLOWED}'`,
  'kubectl drain node-d --force --delete-emptydir-data --timeout=20s',
  'kubectl get pods',
  'kubectl get pdb guarded -o yaml',
  'kubectl drain missing',
  'kubectl uncordon node-d',
  'kubectl delete node node-d',
])
