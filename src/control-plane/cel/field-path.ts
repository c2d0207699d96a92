/** The `fieldPath` of a rule, `.a['b']`, as findings show it: `a[b]`. */
export function joinFieldPath(parent: string, fieldPath: string): string {
  let path = parent
  for (const [, name, single, double] of fieldPath.matchAll(
    /\.([^.[\]]+)|\['((?:[^'\\]|\\.)*)'\]|\["((?:[^"\\]|\\.)*)"\]/g,
  )) {
    const quoted = single ?? double
    if (name !== undefined) path = path === '' ? name : `${path}.${name}`
    else if (quoted !== undefined) path = `${path}[${quoted.replace(/\\(.)/g, '$1')}]`
  }
  return path
}
