/** The identity of a requester, made of its claims by the template of the policy. */

/** `{claim}` and `{claim.part}` are replaced; one that is missing, or is no single value, becomes `_missing_<claim>_`. */
export function renderIdentity(template: string, claims: Readonly<Record<string, unknown>>): string {
  return template.replace(/\{([^{}]+)\}/g, (_placeholder, path: string) => {
    const value = valueAt(claims, path)
    return isSingle(value) ? String(value) : `_missing_${path}_`
  })
}

/** Names of claims may hold dots themselves: the whole path is tried first. */
function valueAt(claims: Readonly<Record<string, unknown>>, path: string): unknown {
  if (Object.hasOwn(claims, path)) return claims[path]
  let value: unknown = claims
  for (const part of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return undefined
    value = (value as Record<string, unknown>)[part]
  }
  return value
}

const isSingle = (value: unknown): value is string | number | boolean =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
