/** Addons in order, each whole before the next. */
import type { Addon } from '../../../api/v1alpha1/cluster-template.ts'
import { contentHash } from './content-hash.ts'
import { type FetchResult, shownUrl } from './fetch/fetch-public.ts'
import { applyManifest } from './manifest/apply-manifest.ts'
import type { SetupContext } from './setup-context.ts'
import { DONE, failed, type StepResult, waiting } from './step-result.ts'

export async function applyAddons(context: SetupContext): Promise<StepResult> {
  for (const addon of context.request.addons) {
    const result = await applyAddon(context, addon)
    if (result.state !== 'done') return result
  }
  return DONE
}

async function applyAddon(context: SetupContext, addon: Addon): Promise<StepResult> {
  const { done, downloads } = context.guest
  const key = `addon/${addon.name}/${contentHash(addon.manifest ?? addon.url ?? '')}`
  if (done.has(key)) return DONE
  const source = await manifestOf(context, addon)
  if (source.state !== 'read') return source
  const result = await applyManifest(context, `addon ${addon.name}`, source.text)
  if (result.state !== 'done') return result
  done.add(key)
  if (addon.url !== undefined) downloads.delete(addon.url)
  context.log.info({ instance: context.request.name, addon: addon.name }, 'addon applied')
  return DONE
}

type Source = { readonly state: 'read'; readonly text: string } | Exclude<StepResult, { state: 'done' }>

async function manifestOf(context: SetupContext, { name, manifest, url }: Addon): Promise<Source> {
  if (manifest !== undefined) return { state: 'read', text: manifest }
  if (url === undefined) {
    context.log.warn(
      { instance: context.request.name, addon: name },
      'addon without manifest and url: nothing to apply',
    )
    return { state: 'read', text: '' }
  }
  const { downloads } = context.guest
  const kept = downloads.get(url)
  if (kept !== undefined) return { state: 'read', text: kept }
  const source = downloaded(`addon ${name}: ${shownUrl(url)}`, await context.fetch(url))
  if (source.state === 'read') downloads.set(url, source.text)
  return source
}

/** These say "later"; every other status in 4xx says that the URL is wrong. */
const PASSING_STATUSES: ReadonlySet<number> = new Set([408, 425, 429])

function downloaded(what: string, result: FetchResult): Source {
  if (result.state === 'refused') return failed(`${what} is refused: ${result.reason}`)
  if (result.state === 'unreachable') return waiting(`${what} cannot be read: ${result.reason}`)
  const { status, text } = result
  if (status === 200) return { state: 'read', text }
  const lasting = status >= 400 && status < 500 && !PASSING_STATUSES.has(status)
  return (lasting ? failed : waiting)(`${what} answers ${status}`)
}
