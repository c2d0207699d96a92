/** `v1`, `apps/v1`: how an object names its group and version. */
export function apiVersionOf(group: string, version: string): string {
  return group === '' ? version : `${group}/${version}`
}
