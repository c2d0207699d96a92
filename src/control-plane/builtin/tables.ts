/** Reads the generated tables, each file on first use: most processes serve only a few kinds. */
import { readFileSync } from 'node:fs'

export interface ResourceRow {
  readonly plural: string
  readonly singular: string
  readonly kind: string
  readonly namespaced: boolean
  readonly verbs: readonly string[]
  readonly shortNames?: readonly string[]
  readonly categories?: readonly string[]
  readonly subresources?: ReadonlyArray<{
    readonly name: string
    readonly group: string
    readonly version: string
    readonly kind: string
    readonly verbs: readonly string[]
  }>
}

interface ResourceTable {
  /** The upstream release that the tables were taken from, such as `v1.36.3`. */
  readonly kubernetes: string
  /** In the order in which discovery lists groups; of a group, the preferred version first. */
  readonly groupVersions: ReadonlyArray<{
    readonly group: string
    readonly version: string
    readonly resources: readonly ResourceRow[]
  }>
  /** `group/version/Kind` -> name of its definition and of its protobuf message. */
  readonly kinds: Readonly<Record<string, string>>
  /** Definitions that occur in statuses only. */
  readonly statusOnly: readonly string[]
  /** Fields that need not be sent and yet are always shown with their zero, by definition. */
  readonly alwaysWritten: Readonly<Record<string, readonly string[]>>
}

const files = new Map<string, unknown>()

/** The content of a generated file; parsed once. */
export function generated<T>(name: string): T {
  const known = files.get(name)
  if (known !== undefined) return known as T
  const content: unknown = JSON.parse(readFileSync(new URL(`../generated/${name}`, import.meta.url), 'utf8'))
  files.set(name, content)
  return content as T
}

export const resourceTable = (): ResourceTable => generated<ResourceTable>('resources.json')

/** `apiVersion` and `kind` as an object states them. */
export function isBuiltinKind(apiVersion: string, kind: string): boolean {
  const groupVersion = apiVersion.includes('/') ? apiVersion : `/${apiVersion}`
  return Object.hasOwn(resourceTable().kinds, `${groupVersion}/${kind}`)
}

/** `io.k8s.api.core.v1.Pod` -> the file that holds it and its name in there. */
export function splitName(name: string): { file: string; member: string } {
  const dot = name.lastIndexOf('.')
  return { file: `${name.slice(0, dot)}.json`, member: name.slice(dot + 1) }
}
