/** The CustomResourceDefinitions of this group: installed by the operator at start, and written to `deploy/crds`. */
import type { CustomResourceDefinition } from '../core-resources.ts'
import { KIND_NAMES, KINDS, type Kind } from './kinds.ts'

/** Fresh objects: the caller may change them. */
export function customResourceDefinitions(): CustomResourceDefinition[] {
  return KIND_NAMES.map((name) => structuredClone(definition(KINDS[name])))
}

function definition(kind: Kind): CustomResourceDefinition {
  const { group, version, plural, kind: name } = kind.resource
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: {
        kind: name,
        listKind: `${name}List`,
        plural,
        singular: name.toLowerCase(),
        shortNames: [kind.shortName],
        categories: ['kobe'],
      },
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          schema: { openAPIV3Schema: rootSchema(kind) },
          ...subresources(kind),
          additionalPrinterColumns: kind.columns.map((column) => ({ ...column })),
          ...(kind.selectable.length > 0 && { selectableFields: kind.selectable.map((jsonPath) => ({ jsonPath })) }),
        },
      ],
    },
  }
}

/** The root of a CRD may say nothing of `metadata` but that it is there. */
function rootSchema(kind: Kind): Record<string, unknown> {
  const properties = { ...kind.schema.properties, metadata: { type: 'object' } }
  const required = kind.schema.required?.filter((field) => field !== 'metadata') ?? []
  return { ...kind.schema, properties, required }
}

function subresources(kind: Kind) {
  if (!kind.hasStatus) return {}
  return { subresources: { status: {}, ...(kind.scale && { scale: { ...kind.scale } }) } }
}
