/** The 409 of an apply that would change what others own. */
import { ApiError } from '../errors.ts'
import { type ManagerId, managerKey } from './managed-fields.ts'
import { type PathElement, pathText } from './path-element.ts'

export interface Conflict {
  /** Who owns the field. */
  readonly manager: ManagerId
  readonly path: readonly PathElement[]
}

export function conflictError(conflicts: readonly Conflict[]): ApiError {
  const causes = conflicts.map(({ manager, path }) => ({
    reason: 'FieldManagerConflict',
    message: `conflict with ${ownerText(manager)}`,
    field: pathText(path),
  }))
  return new ApiError(409, 'Conflict', messageOf(conflicts), { details: { causes } })
}

function messageOf(conflicts: readonly Conflict[]): string {
  const [first] = conflicts
  if (conflicts.length === 1 && first !== undefined) {
    return `Apply failed with 1 conflict: conflict with ${ownerText(first.manager)}: ${pathText(first.path)}`
  }
  const byManager = Map.groupBy(conflicts, ({ manager }) => managerKey(manager))
  const parts = [...byManager.values()].flatMap((own) => [
    ...own.slice(0, 1).map(({ manager }) => `conflicts with ${ownerText(manager)}:`),
    ...own.map(({ path }) => `- ${pathText(path)}`),
  ])
  return `Apply failed with ${conflicts.length} conflicts: ${parts.join('\n')}`
}

function ownerText({ manager, operation, apiVersion, subresource }: ManagerId): string {
  const part = subresource === '' ? '' : ` with subresource ${JSON.stringify(subresource)}`
  return `${JSON.stringify(manager)}${part}${operation === 'Update' ? ` using ${apiVersion}` : ''}`
}
