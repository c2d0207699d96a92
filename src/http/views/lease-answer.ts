/** The answer to "how is my lease?": the lease, and its kubeconfig once there is a cluster behind it. */
import type { ClusterLease } from '../../api/v1alpha1/cluster-lease.ts'
import type { HttpContext } from '../context.ts'
import { renderLeaseKubeconfig } from '../leases/lease-kubeconfig.ts'
import { usableUntil } from '../leases/lease-state.ts'
import type { LeaseDetail } from '../schemas/lease.ts'
import { leaseDetail } from './lease-view.ts'
import { waitingView } from './waiting.ts'

/** Throws `KubeError` when the token cannot be made. */
export async function leaseAnswer(context: HttpContext, lease: ClusterLease): Promise<LeaseDetail> {
  const detail = leaseDetail(lease, waitingView(context, lease))
  const { deps, tokens, access } = context
  if (usableUntil(lease, deps.clock.now()) === undefined) return detail
  const bound = await access.resolve(lease)
  if (!bound.ok) return { ...detail, message: `binding unavailable: ${bound.code}` }
  const kubeconfig = renderLeaseKubeconfig({
    leaseName: detail.id,
    clusterName: bound.instance.metadata.name ?? detail.id,
    publicUrl: deps.publicUrl(),
    caPem: deps.caPem,
    token: await tokens.ensure(lease),
  })
  return { ...detail, kubeconfig }
}
