/** `{...field('a', value)}`: sets `a` when there is a value and leaves it out otherwise, as a status has to be really cleared. */
export function field<K extends string, V>(key: K, value: V | undefined): { [P in K]?: V } {
  const holder: { [P in K]?: V } = {}
  if (value !== undefined) holder[key] = value
  return holder
}
