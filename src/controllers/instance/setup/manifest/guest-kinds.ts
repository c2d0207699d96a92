/** Which kinds a member serves, by its discovery documents. */
import type { ResourceType } from '../../../../api/resource.ts'
import type { KubeClient } from '../../../../kube/client.ts'
import { isKubeError } from '../../../../kube/errors.ts'

export interface GuestKinds {
  /** `undefined`: the member does not serve it now. Asks again each time for a kind that was missing. */
  find(apiVersion: string, kind: string): Promise<ResourceType | undefined>
}

interface ResourceList {
  resources?: { name: string; kind: string; namespaced: boolean }[]
}

export function createGuestKinds(client: () => KubeClient): GuestKinds {
  const known = new Map<string, ResourceType>()
  return {
    async find(apiVersion, kind) {
      const key = `${apiVersion}/${kind}`
      const found = known.get(key) ?? (await discover(client(), apiVersion, kind))
      if (found !== undefined) known.set(key, found)
      return found
    },
  }
}

async function discover(client: KubeClient, apiVersion: string, kind: string): Promise<ResourceType | undefined> {
  const [group, version] = apiVersion.includes('/') ? apiVersion.split('/', 2) : ['', apiVersion]
  if (group === undefined || version === undefined) return undefined
  const list = await read(client, group === '' ? `/api/${version}` : `/apis/${group}/${version}`)
  // A name with a slash is a subresource, which may carry the kind of another resource.
  const resource = list.resources?.find((entry) => entry.kind === kind && !entry.name.includes('/'))
  return resource && { group, version, plural: resource.name, kind, namespaced: resource.namespaced }
}

async function read(client: KubeClient, path: string): Promise<ResourceList> {
  try {
    const answer = await client.raw('GET', path)
    return typeof answer === 'object' && answer !== null ? answer : {}
  } catch (error) {
    if (isKubeError(error, 'NotFound')) return {}
    throw error
  }
}
