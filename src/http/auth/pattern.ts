/** Patterns of names in rules are `*`, `prefix*` or a name. */
export const fitsPattern = (pattern: string, name: string): boolean =>
  pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern
