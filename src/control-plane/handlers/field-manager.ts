/** In whose name a request writes. */
import { invalidOptions } from '../errors.ts'
import { formatTime } from '../registry/core.ts'
import type { FieldOwners } from '../registry/field-owners.ts'
import { invalidError, tooLongError } from '../schema/field-error.ts'
import type { FieldError } from '../schema/schema.ts'
import type { ApiRequest, OptionsKind } from './api-request.ts'

/** In UTF-8 bytes `[k8s FieldManagerMaxLength]`. */
const MAX_BYTES = 128
const UNPRINTABLE = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u

/** The query parameter, or else what the client calls itself: its User-Agent up to the first slash. @throws ApiError 422 */
export function fieldManagerOf({ query, http }: ApiRequest, options: OptionsKind): string {
  const stated = query.get('fieldManager') ?? ''
  const findings = checkFieldManager(stated)
  if (findings.length > 0) throw invalidOptions(options, findings)
  return stated === '' ? nameOfClient(http.headers['user-agent'] ?? '') : stated
}

export function checkFieldManager(manager: string): FieldError[] {
  const errors = Buffer.byteLength(manager) > MAX_BYTES ? [tooLongError('fieldManager', MAX_BYTES)] : []
  if (UNPRINTABLE.test(manager)) {
    errors.push(invalidError('fieldManager', manager, 'should only contain printable characters'))
  }
  return errors
}

function nameOfClient(userAgent: string): string {
  const [name = ''] = userAgent.split('/', 1)
  let kept = ''
  for (const letter of name) {
    if (UNPRINTABLE.test(letter)) continue
    if (Buffer.byteLength(kept + letter) > MAX_BYTES) break
    kept += letter
  }
  return kept === '' ? 'unknown' : kept
}

type UpdateOwnership = typeof import('../apply/update-ownership.ts').updateOwnership
let loaded: Promise<UpdateOwnership> | undefined

/** Loaded with the first write of a client, not with the server. */
async function load(): Promise<UpdateOwnership> {
  const { updateOwnership } = await import('../apply/update-ownership.ts')
  return updateOwnership
}

/** The owners after a create, a PUT or a patch. `subresource` is empty for the object itself. @throws ApiError 422 */
export async function ownersOf(
  request: ApiRequest,
  options: OptionsKind,
  subresource = request.subresource ?? '',
): Promise<FieldOwners> {
  const { core, definition } = request
  const manager = fieldManagerOf(request, options)
  loaded ??= load()
  const updateOwnership = await loaded
  const now = formatTime(core.now())
  return (change) => updateOwnership({ registry: core.registry, definition, manager, subresource, now }, change)
}
