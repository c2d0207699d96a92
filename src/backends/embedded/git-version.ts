/** The version that a member reports, out of what a pool asks for. */

const pattern = /^v?(\d+)\.(\d+)(?:\.(\d+))?([-+][0-9A-Za-z.+-]+)?$/

/** `1.35` is `v1.35.0`; `v1.31.3+k3s1` stays. Undefined: not a Kubernetes version. */
export function gitVersion(version: string): string | undefined {
  const match = pattern.exec(version.trim())
  if (match === null) return undefined
  const [, major, minor, patch = '0', suffix = ''] = match
  return `v${major}.${minor}.${patch}${suffix}`
}
