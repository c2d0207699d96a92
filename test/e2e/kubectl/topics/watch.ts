import { topic } from '../step.ts'

export const watch = topic('watch', [
  'kubectl create -f configmaps.yaml -f gadget.yaml',
  [
    'kubectl get cm one -w',
    { watch: { change: 'kubectl patch cm one -p \'{"data":{"more":"1"}}\'', until: 'one.*\n(.*\n)*one' } },
  ],
  ['kubectl get cm -w --output-watch-events', { watch: { change: 'kubectl delete cm three', until: 'DELETED' } }],
  [
    'kubectl get gadgets --watch-only',
    { watch: { change: 'kubectl patch gadget small --type=merge -p \'{"spec":{"color":"red"}}\'', until: 'small' } },
  ],
  [
    'kubectl get gadgets --watch-only --field-selector spec.color=green --output-watch-events',
    { watch: { change: 'kubectl patch gadget small --type=merge -p \'{"spec":{"color":"green"}}\'', until: 'small' } },
  ],
  [
    'kubectl get cm -l tier=front --watch-only --output-watch-events',
    { watch: { change: 'kubectl label cm one tier=back --overwrite', until: 'DELETED' } },
  ],
  ['kubectl get cm two -o yaml --watch-only', { watch: { change: 'kubectl annotate cm two seen=yes', until: 'uid' } }],
  ['kubectl get cm two -o name --watch-only', { watch: { change: 'kubectl annotate cm two seen-', until: 'two' } }],
  [
    'kubectl get pods --watch-only -o jsonpath=\'{.metadata.name} {.status.phase}{"\\n"}\'',
    { watch: { change: 'kubectl run fresh --image=example.com/fresh:1', until: 'fresh' } },
  ],
])
