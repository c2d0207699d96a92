import { PODS, type Pod } from '../../../../api/core-resources.ts'
import type { KubeClient, ObjectRef } from '../../../../kube/client.ts'
import { isKubeError } from '../../../../kube/errors.ts'
import { DONE, type StepResult, waiting } from '../step-result.ts'
import { DEFAULT_NAMESPACE, type Gate } from './gate.ts'

const IMAGE = 'registry.k8s.io/pause:3.10'

/**
 * Passes when a pod of ours is Running, which it is then removed for. A probe of an earlier process is taken over; one that has
 * ended is removed and made again.
 */
export const schedulingProbe: Gate = async ({ client, instance }, { namespace = DEFAULT_NAMESPACE }) => {
  const ref = { name: `kobe-readiness-probe-${instance}`, namespace }
  const pod = await read(client, ref)
  if (pod === undefined) return start(client, ref)
  const phase = pod.status?.phase ?? 'Pending'
  if (pod.metadata.deletionTimestamp !== undefined) return waiting(`${label(ref)} of an earlier try is going away`)
  if (phase === 'Pending') return waiting(`${label(ref)} is Pending${whyPending(pod)}`)
  await remove(client, ref)
  return phase === 'Running' ? DONE : waiting(`${label(ref)} ended as ${phase}; it is made again`)
}

const label = ({ name, namespace }: ObjectRef): string => `probe pod ${namespace}/${name}`

async function read(client: KubeClient, ref: ObjectRef): Promise<Pod | undefined> {
  try {
    return await client.get(PODS, ref)
  } catch (error) {
    if (!isKubeError(error, 'NotFound')) throw error
    return undefined
  }
}

async function start(client: KubeClient, ref: ObjectRef): Promise<StepResult> {
  await client.create(PODS, { metadata: { ...ref }, spec: PROBE_SPEC })
  return waiting(`${label(ref)} was made and is to be Running`)
}

async function remove(client: KubeClient, ref: ObjectRef): Promise<void> {
  try {
    await client.delete(PODS, ref, { gracePeriodSeconds: 0 })
  } catch (error) {
    if (!isKubeError(error, 'NotFound')) throw error
  }
}

/** Passes the `restricted` Pod Security Standard, which a member may enforce. */
const PROBE_SPEC = {
  restartPolicy: 'Never',
  terminationGracePeriodSeconds: 0,
  automountServiceAccountToken: false,
  securityContext: { runAsNonRoot: true, runAsUser: 65_535, seccompProfile: { type: 'RuntimeDefault' } },
  containers: [
    {
      name: 'pause',
      image: IMAGE,
      securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
    },
  ],
}

function whyPending({ status }: Pod): string {
  const scheduled = status?.conditions?.find(({ type }) => type === 'PodScheduled')
  return scheduled?.status === 'False' && scheduled.message ? `: ${scheduled.message}` : ''
}
