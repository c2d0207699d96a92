/** Waits for CustomResourceDefinitions, for a moment here and then across calls. */
import { CUSTOM_RESOURCE_DEFINITIONS } from '../../../../api/core-resources.ts'
import type { Clock } from '../../../../kube/clock.ts'
import type { Guest } from '../guest.ts'
import { DONE, type StepResult, waiting } from '../step-result.ts'
import type { ManifestObject } from './parse-manifest.ts'

/** Servers take some 100 ms; a wait across calls takes 2 s. */
const WAIT_MS = 1_000
const POLL_MS = 50

export function isDefinition({ apiVersion, kind }: ManifestObject): boolean {
  return kind === 'CustomResourceDefinition' && apiVersion.startsWith('apiextensions.k8s.io/')
}

export async function definitionsEstablished(
  guest: Guest,
  clock: Clock,
  names: readonly string[],
): Promise<StepResult> {
  const deadline = clock.monotonic() + WAIT_MS
  for (const name of names) {
    const result = await established(guest, clock, { name, deadline })
    if (result.state !== 'done') return result
  }
  return DONE
}

async function established(
  guest: Guest,
  clock: Clock,
  { name, deadline }: { name: string; deadline: number },
): Promise<StepResult> {
  for (;;) {
    const definition = await guest.client.get(CUSTOM_RESOURCE_DEFINITIONS, { name })
    const conditions = definition.status?.conditions ?? []
    if (conditions.some(({ type, status }) => type === 'Established' && status === 'True')) return DONE
    if (clock.monotonic() >= deadline) {
      const refusal = conditions.find(({ type, status }) => type === 'NamesAccepted' && status === 'False')
      const why = refusal?.message === undefined ? '' : `: ${refusal.message}`
      return waiting(`waiting for CustomResourceDefinition ${name} to be Established${why}`)
    }
    await clock.after(POLL_MS)
  }
}
