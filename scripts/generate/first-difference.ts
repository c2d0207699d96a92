/** Where two texts part, for a person. */
export function firstDifference(before: string, after: string): string {
  const old = before.split('\n')
  const fresh = after.split('\n')
  const line = fresh.findIndex((text, index) => text !== old[index])
  const at = line === -1 ? fresh.length : line
  return `differs from line ${at + 1}:\n  - ${old[at] ?? '(end of file)'}\n  + ${fresh[at] ?? '(end of file)'}`
}
