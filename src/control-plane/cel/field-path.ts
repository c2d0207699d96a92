/** The `fieldPath` of a rule, `.a['b']`, as findings show it: `a.b`. */
import { childPath } from '../schema/field-error.ts'

const SEGMENT = /\.([^.[\]]+)|\['((?:[^'\\]|\\.)*)'\]/g

export function joinFieldPath(parent: string, fieldPath: string): string {
  let path = parent
  for (const [, name, quoted = ''] of fieldPath.matchAll(SEGMENT)) {
    path = childPath(path, name ?? quoted.replace(/\\(.)/g, '$1'))
  }
  return path
}
