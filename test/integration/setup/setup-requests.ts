/** Requests and manifests for tests of the setup of members. */
import type { BootstrapConfig, BootstrapJob } from '../../../src/api/v1alpha1/bootstrap-config.ts'
import { GATE_TYPES } from '../../../src/api/v1alpha1/pool-policy.ts'
import type { MemberSetup, SetupRequest } from '../../../src/controllers/instance/setup/member-setup.ts'
import { systemClock } from '../../../src/kube/clock.ts'

/** Supports everything; the kubeconfig has to come from the guest. */
export function setupRequest(kubeconfig: string, more: Partial<SetupRequest> = {}): SetupRequest {
  return {
    uid: 'uid-1',
    name: 'pool-ci-1',
    kubeconfig,
    addons: [],
    readinessGates: [],
    bootstraps: [],
    capabilities: {
      supportsVerifiedDestroy: true,
      gates: new Set(GATE_TYPES),
      runsBootstrapJobs: true,
      maxConcurrentCreates: 1,
    },
    ...more,
  }
}

export function bootstrapConfig(name: string, files: Record<string, string>, job?: BootstrapJob): BootstrapConfig {
  return { metadata: { name }, spec: { files, ...(job === undefined ? {} : { job }) } }
}

export function configMap(name: string, value = 'v', namespace?: string): string {
  const place = namespace === undefined ? '' : `, namespace: ${namespace}`
  return `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}${place}}\ndata: {key: ${JSON.stringify(value)}}\n`
}

export const WIDGET_DEFINITION = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: widgets, singular: widget, kind: Widget, listKind: WidgetList}
  versions:
    - name: v1
      served: true
      storage: true
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec: {type: object, properties: {size: {type: integer}}}
`

export function widget(name: string, size: unknown = 1): string {
  return `apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: ${name}}\nspec: {size: ${JSON.stringify(size)}}\n`
}

const DEADLINE_MS = 15_000
const POLL_MS = 50

/** Checks until it has passed or failed, or says what is looked for; throws with its last message after 15 s. */
export async function checkUntilSettled(setup: MemberSetup, request: SetupRequest, says?: string) {
  const deadline = systemClock.monotonic() + DEADLINE_MS
  for (;;) {
    const evidence = await setup.check(request)
    if (evidence.passed || evidence.failed || (says !== undefined && evidence.message?.includes(says))) return evidence
    if (systemClock.monotonic() > deadline) throw new Error(`not settled after 15 s: ${evidence.message}`)
    await systemClock.after(POLL_MS)
  }
}
