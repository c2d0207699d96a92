import { type Answer, type ApiRequest, findingsOf } from './api-request.ts'
import { ownersOf } from './field-manager.ts'
import { isApply, patched, readPatch } from './patch-object.ts'
import { writeScale } from './scale.ts'
import { scaleDefinition } from './scale-definition.ts'

export async function patchScale(request: ApiRequest): Promise<Answer> {
  if (isApply(request)) return await (await import('./apply-scale.ts')).applyScale(request)
  const apply = await readPatch(request, scaleDefinition(request.definition), findingsOf(request.query, 'PatchOptions'))
  return writeScale(request, await ownersOf(request, 'PatchOptions'), (scale) => patched(apply, scale))
}
