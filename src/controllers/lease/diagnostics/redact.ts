/** What of an object may go into a bundle: nothing that may hold a credential, and no bookkeeping. */
import type { KubeObject } from '../../../api/resource.ts'

const LEFT_OUT = '(left out)'
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration'

/** A copy. Literal values of environment variables are left out, and what kubectl keeps of the applied manifest. */
export function redact(object: KubeObject): object {
  const { managedFields: _bookkeeping, annotations, ...metadata } = object.metadata as Record<string, unknown>
  const kept = Object.entries((annotations ?? {}) as Record<string, string>).filter(([key]) => key !== LAST_APPLIED)
  return withoutValues({ ...object, metadata: { ...metadata, annotations: Object.fromEntries(kept) } }) as object
}

/** `env: [{name, value}]` wherever it stands: in containers of pods and of every template of pods. */
function withoutValues(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutValues)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => [key, key === 'env' ? withoutEnv(part) : withoutValues(part)]),
  )
}

function withoutEnv(env: unknown): unknown {
  if (!Array.isArray(env)) return withoutValues(env)
  return env.map((variable: object) => ('value' in variable ? { ...variable, value: LEFT_OUT } : variable))
}
