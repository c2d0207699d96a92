/** URLs, absolute or beginning with a slash. [k8s: CEL URL library] */
import { CelError } from '../cel-error.ts'
import { ListValue, MapValue, OpaqueValue } from '../cel-value.ts'
import type { FunctionTable } from './overload.ts'

interface Url {
  readonly scheme: string
  readonly host: string
  readonly hostname: string
  readonly port: string
  readonly path: string
  readonly query: string
}

const FORM = /^(?:([a-zA-Z][a-zA-Z0-9+.-]*):)?(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#.*)?$/s

function parse(text: string): Url | undefined {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what no URL may hold.
  if (text === '' || /[\u0000-\u001f\u007f]/.test(text) || /%(?![0-9a-fA-F]{2})/.test(text)) return undefined
  const [, scheme = '', authority = '', path = '', query = ''] = FORM.exec(text) ?? []
  if (scheme === '' && !text.startsWith('/')) return undefined
  const host = authority.slice(authority.lastIndexOf('@') + 1)
  const parts = /^(\[[^\]]*\]|[^:[\]]*)(?::(\d*))?$/.exec(host)
  if (parts === null || / /.test(host)) return undefined
  const [, name = '', port = ''] = parts
  return { scheme: scheme.toLowerCase(), host, hostname: name.replace(/^\[|\]$/g, ''), port, path, query }
}

function url(text: string): OpaqueValue {
  const value = parse(text)
  if (value === undefined) {
    throw new CelError(`URL parse error during conversion from string: parse "${text}": invalid URI for request`)
  }
  return new OpaqueValue('kubernetes.URL', value, JSON.stringify(value))
}

const part =
  (read: (url: Url) => string) =>
  (value: OpaqueValue): string =>
    read(value.payload as Url)

/** As Go escapes a path: what is escaped already stays. */
function escapePath(path: string): string {
  return path.replace(/[^A-Za-z0-9\-_.~$&+,/:;=@!'()*%]/gu, (char) => encodeURIComponent(char))
}

function parseQuery({ query }: Url): MapValue {
  const values = new Map<string, string[]>()
  for (const [key, value] of new URLSearchParams(query)) {
    const known = values.get(key)
    if (known === undefined) values.set(key, [value])
    else known.push(value)
  }
  return MapValue.of([...values].map(([key, list]) => [key, new ListValue(list)] as const))
}

export const URLS: FunctionTable = {
  'url(string): kubernetes.URL': url,
  'isURL(string): bool': (text: string) => parse(text) !== undefined,
  'kubernetes.URL.getScheme(): string': part(({ scheme }) => scheme),
  'kubernetes.URL.getHost(): string': part(({ host }) => host),
  'kubernetes.URL.getHostname(): string': part(({ hostname }) => hostname),
  'kubernetes.URL.getPort(): string': part(({ port }) => port),
  'kubernetes.URL.getEscapedPath(): string': part(({ path }) => escapePath(path)),
  'kubernetes.URL.getQuery(): map<string, list<string>>': (value: OpaqueValue) => parseQuery(value.payload as Url),
}
