/** The world as it stands at the end of a scenario, without names, UIDs, versions of objects and times. */
import { Finalizer } from '../../../src/api/v1alpha1/labels.ts'
import type { OperatorWorld } from '../../support/operator-world.ts'

export function endState(world: OperatorWorld): string {
  const members = world.members('a').map(({ metadata, status }) => {
    const made = world.backend.world.get(metadata.name ?? '')
    const cluster = made?.uid === metadata.uid ? `cluster ${made?.version}` : 'no cluster'
    const guarded = metadata.finalizers?.includes(Finalizer.instanceCleanup) ?? false
    const leased = status?.leaseRef === undefined ? '' : ' leased'
    return `${status?.phase}${leased} ${status?.createdWith?.cluster?.version}, ${cluster}, ${guarded ? 'guarded' : 'not guarded'}, conditions ${conditionsOf(status)}`
  })
  const leases = world.caches.leases.list().map(({ status }) => `lease ${status?.phase}`)
  const owners = world.caches.secrets.list().map(({ metadata }) => `Secret of a ${metadata.ownerReferences?.[0]?.kind}`)
  return [
    poolOf(world),
    ...members.sort(),
    ...leases.sort(),
    ...owners.sort(),
    `${world.backend.world.size} clusters`,
  ].join('\n')
}

function poolOf(world: OperatorWorld): string {
  const status = world.pool('a')?.status
  if (status === undefined) return 'no pool'
  const { phase, ready, leased, creating, recycling, unhealthy, quarantined, queueDepth, drifted } = status
  const counts = { phase, ready, leased, creating, recycling, unhealthy, quarantined, queueDepth, drifted }
  const rest = `failures ${status.consecutiveFailures}, upgrade ${status.upgrade === undefined ? 'none' : 'under way'}`
  return `${JSON.stringify(counts)} ${rest}, conditions ${conditionsOf(status)}`
}

interface WithConditions {
  readonly conditions?: readonly { readonly type: string; readonly status: string; readonly reason: string }[]
}

const conditionsOf = (status: WithConditions | undefined): string =>
  (status?.conditions ?? [])
    .map(({ type, status: value, reason }) => `${type}=${value}/${reason}`)
    .sort()
    .join(' ')
