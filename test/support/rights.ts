/** What a client asks of an API server, in the words of RBAC, and what rules allow in the same words. */
import type { KubeObject, ResourceType } from '../../src/api/resource.ts'
import type { KubeClient } from '../../src/kube/client.ts'
import { isKubeError } from '../../src/kube/errors.ts'

export interface AskedFor {
  readonly verb: string
  /** `group/resource`, `group/resource/subresource`, without the group for core kinds; or a path. */
  readonly what: string
  /** Absent: all of the cluster. */
  readonly namespace: string | undefined
}

export interface RequestRecorder {
  readonly client: KubeClient
  /** By text, so that each is there once. */
  readonly asked: ReadonlyMap<string, AskedFor>
  /** What the server did not allow, in its words. */
  readonly refused: readonly string[]
}

const HTTP_VERBS: Readonly<Record<string, string>> = { GET: 'get', POST: 'create', PATCH: 'patch', DELETE: 'delete' }

export function createRequestRecorder(inner: KubeClient): RequestRecorder {
  const asked = new Map<string, AskedFor>()
  const refused: string[] = []
  const note = (one: AskedFor): void => {
    asked.set(JSON.stringify(one), one)
  }
  const told = <T>(answer: Promise<T>): Promise<T> =>
    answer.catch((error: unknown) => {
      if (isKubeError(error, 'Forbidden')) refused.push(error.message)
      throw error
    })
  const of = (type: ResourceType, subresource?: string): string =>
    [type.group, type.plural, subresource].filter((part) => part !== undefined && part !== '').join('/')
  const scope = (type: ResourceType, namespace: string | undefined) => (type.namespaced ? namespace : undefined)
  const client: KubeClient = {
    get(type, ref) {
      note({ verb: 'get', what: of(type), namespace: scope(type, ref.namespace) })
      return told(inner.get(type, ref))
    },
    list(type, options) {
      note({ verb: 'list', what: of(type), namespace: scope(type, options?.namespace) })
      return told(inner.list(type, options))
    },
    async *watch<T extends KubeObject>(type: ResourceType<T>, options: Parameters<KubeClient['watch']>[1]) {
      note({ verb: 'watch', what: of(type), namespace: scope(type, options.namespace) })
      try {
        yield* inner.watch(type, options)
      } catch (error) {
        if (isKubeError(error, 'Forbidden')) refused.push(error.message)
        throw error
      }
    },
    create(type, object, options) {
      note({ verb: 'create', what: of(type, options?.subresource), namespace: scope(type, object.metadata.namespace) })
      return told(inner.create(type, object, options))
    },
    replace(type, object, options) {
      note({ verb: 'update', what: of(type, options?.subresource), namespace: scope(type, object.metadata.namespace) })
      return told(inner.replace(type, object, options))
    },
    patch(type, ref, patch, options) {
      note({ verb: 'patch', what: of(type, options?.subresource), namespace: scope(type, ref.namespace) })
      return told(inner.patch(type, ref, patch, options))
    },
    delete(type, ref, options) {
      note({ verb: 'delete', what: of(type), namespace: scope(type, ref.namespace) })
      return told(inner.delete(type, ref, options))
    },
    raw(method, path, body) {
      note(ofPath(HTTP_VERBS[method] ?? method, path))
      return told(inner.raw(method, path, body))
    },
  }
  return { client, asked, refused }
}

const RESOURCE = /^\/(?:api|apis\/([^/]+))\/v\w+\/(?:namespaces\/([^/]+)\/)?([^/]+)(?:\/[^/]+\/(\w+))?/

function ofPath(verb: string, path: string): AskedFor {
  const [pathname = ''] = path.split('?')
  const [, group, namespace, plural, subresource] = RESOURCE.exec(pathname) ?? []
  if (plural === undefined) return { verb, what: pathname, namespace: undefined }
  return { verb, what: [group, plural, subresource].filter((part) => part !== undefined).join('/'), namespace }
}

interface Role {
  readonly metadata: { readonly namespace?: string }
  readonly rules: readonly {
    readonly apiGroups?: readonly string[]
    readonly resources?: readonly string[]
    readonly nonResourceURLs?: readonly string[]
    readonly verbs: readonly string[]
  }[]
}

/** One for each verb on each resource; without patterns. */
export function rightsOf({ metadata: { namespace }, rules }: Role): AskedFor[] {
  return rules.flatMap(({ apiGroups = [], resources = [], nonResourceURLs = [], verbs }) => {
    const kinds = apiGroups.flatMap((group) => resources.map((name) => (group === '' ? name : `${group}/${name}`)))
    return [...kinds, ...nonResourceURLs].flatMap((what) => verbs.map((verb) => ({ verb, what, namespace })))
  })
}
