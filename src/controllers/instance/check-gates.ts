/** Addons, readiness gates and bootstraps of one member, as its pool wants them now. */
import type { GateEvidence } from '../../core/instance/observed.ts'
import { requiredGates } from '../../core/instance/required-gates.ts'
import type { InstancePass } from './execute.ts'
import type { ServedMember } from './member-target.ts'

export async function checkGates(pass: InstancePass, { target, backend }: ServedMember): Promise<GateEvidence> {
  const { deps, observed, setup } = pass
  const spec = observed.pool.state === 'found' ? observed.pool.pool.spec : observed.instance.spec
  return setup.check({
    uid: target.uid,
    name: target.name,
    kubeconfig: await backend.kubeconfig(target),
    addons: spec.addons,
    readinessGates: requiredGates(observed),
    bootstraps: spec.bootstraps.map(({ name, params }) => ({
      name,
      params,
      config: deps.caches.bootstraps.get(target.namespace, name),
    })),
    capabilities: backend.capabilities(target.backend),
  })
}
