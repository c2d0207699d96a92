/** The description of a cluster in a file: a ManagedCluster as `kubectl apply` takes it, only its spec, or what the API takes. */
import { readFileSync } from 'node:fs'
import type { Input } from '../../client/api.ts'
import { EXIT, UserError } from '../user-error.ts'

export type ClusterDescription = Input<'createCluster'>['body']

export async function readDescription(path: string): Promise<Partial<ClusterDescription>> {
  const value = await parse(path)
  const spec = isObject(value['spec']) ? value['spec'] : value
  const { connection, ...rest } = spec
  return { ...rest, ...(isObject(connection) ? connectionOf(connection) : {}) } as Partial<ClusterDescription>
}

async function parse(path: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    const value: unknown = (await import('yaml')).parse(readFileSync(path, 'utf8'))
    if (isObject(value)) return value
  } catch (cause) {
    throw unreadable(path, cause)
  }
  throw unreadable(path, undefined)
}

function unreadable(path: string, cause: unknown): UserError {
  return new UserError(`${path} is no description of a cluster`, {
    why: cause instanceof Error ? cause.message : 'it is not a mapping of fields',
    fix: 'write a ManagedCluster, or its spec, in YAML or JSON: docs/reference/kinds.md',
    exitCode: EXIT.usage,
    cause,
  })
}

/** As it is called on the wire. */
function connectionOf({ kubeconfigSecretRef: ref, inCluster, endpoints }: Readonly<Record<string, unknown>>): object {
  return {
    ...(isObject(ref) ? { kubeconfigSecret: ref['name'] } : {}),
    ...(inCluster === undefined ? {} : { inCluster }),
    ...(endpoints === undefined ? {} : { endpoints }),
  }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
