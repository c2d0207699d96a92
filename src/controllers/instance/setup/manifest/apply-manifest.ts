/**
 * A manifest into a member, object after object. Definitions are waited for before the first object after them. What was applied
 * is remembered object by object, so a call that ran out of time, or waits, is continued by the next one.
 */
import type { SetupContext } from '../setup-context.ts'
import { DONE, failed, runStep, type StepResult, waiting } from '../step-result.ts'
import { applyObject } from './apply-object.ts'
import { definitionsEstablished, isDefinition } from './established.ts'
import type { ManifestObject } from './parse-manifest.ts'

/** @param owner what the manifest belongs to, for messages: `addon cni`. Unique within a member. */
export async function applyManifest(context: SetupContext, owner: string, text: string): Promise<StepResult> {
  const manifest = await context.parse(text)
  if (!manifest.valid) return failed(`${owner}: ${manifest.reason}`)
  const definitions: string[] = []
  for (const [index, object] of manifest.objects.entries()) {
    if (context.clock.monotonic() >= context.deadline) {
      return waiting(`${owner}: ${index} of ${manifest.objects.length} objects applied`)
    }
    const result = await applyOnce(context, owner, { object, definitions })
    if (result.state !== 'done') return result
  }
  return settleDefinitions(context, owner, definitions)
}

interface Position {
  readonly object: ManifestObject
  /** Definitions before it that may not be Established yet. */
  readonly definitions: string[]
}

async function applyOnce(context: SetupContext, owner: string, position: Position): Promise<StepResult> {
  const { object, definitions } = position
  const { done } = context.guest
  if (isDefinition(object)) definitions.push(object.name)
  const key = `object/${owner}/${object.hash}`
  if (done.has(key)) return DONE
  if (!isDefinition(object)) {
    const settled = await settleDefinitions(context, owner, definitions)
    if (settled.state !== 'done') return settled
    definitions.length = 0
  }
  const result = await runStep(`${owner}: ${object.position}`, () => applyObject(context.guest, owner, object))
  if (result.state === 'done') done.add(key)
  return result
}

function settleDefinitions(context: SetupContext, owner: string, names: readonly string[]): Promise<StepResult> {
  return runStep(owner, async () => {
    const result = await definitionsEstablished(context.guest, context.clock, names)
    return result.state === 'done' ? result : { ...result, message: `${owner}: ${result.message}` }
  })
}
