/**
 * Gates in listed order; the first that does not pass ends the check. A gate that has passed is a milestone: it is not asked
 * again while later ones, or bootstraps, are still on their way.
 */
import { GATE_REQUIRED_FIELDS, type GateType, type ReadinessGate } from '../../../../api/v1alpha1/pool-policy.ts'
import type { SetupContext } from '../setup-context.ts'
import { DONE, runStep, type StepResult } from '../step-result.ts'
import { addonsReady } from './addons-ready.ts'
import { crdExists } from './crd-exists.ts'
import { daemonSetReady } from './daemon-set-ready.ts'
import { deploymentReady } from './deployment-ready.ts'
import { dnsHealthy } from './dns-healthy.ts'
import type { Gate } from './gate.ts'
import { inClusterToken } from './in-cluster-token.ts'
import { nodesReady } from './nodes-ready.ts'
import { schedulingProbe } from './scheduling-probe.ts'
import { urlHealthy } from './url-healthy.ts'

const GATES: Readonly<Record<GateType, Gate>> = {
  AddonsReady: addonsReady,
  CRDExists: crdExists,
  NodesReady: nodesReady,
  DeploymentReady: deploymentReady,
  DaemonSetReady: daemonSetReady,
  URLHealthy: urlHealthy,
  SchedulingProbe: schedulingProbe,
  DNSHealthy: dnsHealthy,
  InClusterToken: inClusterToken,
}

export async function checkGates(context: SetupContext): Promise<StepResult> {
  for (const [index, gate] of context.request.readinessGates.entries()) {
    const result = await checkOnce(context, index, gate)
    if (result.state !== 'done') return result
  }
  return DONE
}

async function checkOnce(context: SetupContext, index: number, gate: ReadinessGate): Promise<StepResult> {
  const { guest, fetch, request } = context
  const key = `gate/${index}/${JSON.stringify(gate)}`
  if (guest.done.has(key)) return DONE
  const what = `gate ${gate.type}`
  const run = GATES[gate.type]
  const result = await runStep(what, async () => {
    const answer = await run({ client: guest.client, fetch, instance: request.name }, gate)
    return answer.state === 'done' ? answer : { ...answer, message: `${what}: ${answer.message}` }
  })
  if (result.state === 'done') guest.done.add(key)
  return result
}

/** Known before anything is done: why the gates can never all pass. */
export function impossibleGate(gates: readonly ReadinessGate[], supported: ReadonlySet<string>): string | undefined {
  for (const gate of gates) {
    if (!supported.has(gate.type)) return `gate ${gate.type} can never pass on this backend`
    const missing = GATE_REQUIRED_FIELDS[gate.type].find((field) => gate[field] === undefined)
    if (missing !== undefined) return `gate ${gate.type} needs the field ${missing}`
  }
  return undefined
}
