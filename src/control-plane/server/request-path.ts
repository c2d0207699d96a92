/** Takes a URL path apart: `/api/v1/namespaces/NS/RESOURCE/NAME/SUBRESOURCE` and its relatives. */

export interface ResourcePath {
  readonly group: string
  readonly version: string
  readonly plural: string
  readonly namespace?: string
  readonly name?: string
  /** Empty: none. May hold slashes (`proxy/...`). */
  readonly subresource: string
  /** The obsolete `/api/v1/watch/...` form. */
  readonly watch: boolean
}

/** Undefined: the path is not that of a resource (discovery, health, an unknown path). */
export function parseResourcePath(path: string): ResourcePath | undefined {
  const [root, ...parts] = splitPath(path) ?? []
  if (root !== 'api' && root !== 'apis') return undefined
  const [group, version, ...rest] = root === 'api' ? ['', ...parts] : parts
  if (group === undefined || version === undefined || rest.length === 0) return undefined
  const watch = rest[0] === 'watch' && rest.length > 1
  return { group, version, watch, ...parseTail(watch ? rest.slice(1) : rest) }
}

type Tail = Pick<ResourcePath, 'plural' | 'namespace' | 'name' | 'subresource'>

function parseTail([plural = '', name, ...others]: readonly string[]): Tail {
  const inside = plural === 'namespaces' && name !== undefined && others.length > 0 && !isOwnSubresource(others)
  if (!inside) return withName({ plural, subresource: others.join('/') }, name)
  const [innerPlural = '', innerName, ...innerRest] = others
  return withName({ plural: innerPlural, namespace: name, subresource: innerRest.join('/') }, innerName)
}

function withName(tail: Tail, name: string | undefined): Tail {
  return name === undefined ? tail : { ...tail, name }
}

/** `namespaces/NS/status` and `namespaces/NS/finalize` are about the namespace itself. */
function isOwnSubresource(rest: readonly string[]): boolean {
  return rest.length === 1 && (rest[0] === 'status' || rest[0] === 'finalize')
}

/** Undefined for a path with a broken escape. */
function splitPath(path: string): string[] | undefined {
  try {
    // An escaped slash separates like any other, as in the real server.
    const plain = path.includes('%') ? decodeURIComponent(path) : path
    return plain.split('/').filter((part) => part !== '')
  } catch {
    return undefined
  }
}
