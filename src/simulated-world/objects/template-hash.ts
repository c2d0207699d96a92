/** Short, stable names for pod templates, and their comparison. */
import { isDeepStrictEqual } from 'node:util'
import type { PodTemplate } from '../kinds.ts'

export const TEMPLATE_HASH_LABEL = 'pod-template-hash'

/** Letters and digits that form no words, as in names that the API server makes. */
const LETTERS = 'bcdfghjklmnpqrstvwxz2456789'
const LENGTH = 10

/** The same for equal templates, whatever the order of their fields. 10 characters. */
export function templateHash(template: PodTemplate, collisions = 0): string {
  let hash = 0xcbf29ce484222325n
  for (const character of `${collisions}:${JSON.stringify(sorted(template))}`) {
    hash = BigInt.asUintN(64, (hash ^ BigInt(character.codePointAt(0) ?? 0)) * 0x100000001b3n)
  }
  let text = ''
  for (let rest = hash; text.length < LENGTH; rest /= BigInt(LETTERS.length)) {
    text += LETTERS[Number(rest % BigInt(LETTERS.length))]
  }
  return text
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([key, item]) => [key, sorted(item)]))
}

/** Whether both make the same pods: the label that tells ReplicaSets apart does not count. */
export function sameTemplate(a: PodTemplate, b: PodTemplate): boolean {
  return isDeepStrictEqual(comparable(a), comparable(b))
}

function comparable({ metadata, spec }: PodTemplate): object {
  const { [TEMPLATE_HASH_LABEL]: _, ...labels } = metadata?.labels ?? {}
  return { labels, annotations: { ...metadata?.annotations }, spec: JSON.parse(JSON.stringify(spec)) }
}
