/** The manifests that a backend applies to the host cluster, as plain values: rendering reads nothing and decides nothing. */
import type { KubeObject, OwnerReference } from '../../api/resource.ts'
import { Label, OPERATOR_NAME } from '../../api/v1alpha1/labels.ts'

/** A part of a manifest. Members that are `undefined` are left out on the wire. */
export type Block = Readonly<Record<string, unknown>>

export interface Manifest extends KubeObject {
  readonly apiVersion: string
  readonly kind: string
  readonly spec?: Block
  readonly data?: Readonly<Record<string, string>>
  readonly [field: string]: unknown
}

/** Whose manifests are rendered, and where they go. */
export interface RenderTarget {
  /** Name of the ClusterInstance. */
  readonly name: string
  readonly namespace: string
  /** The ClusterInstance: what it owns goes with it, should the operator never get to delete it. */
  readonly owner?: OwnerReference
}

/** Stands for every name in a fingerprint: the same template gives the same text for every member. */
export const FINGERPRINT_NAME = 'kobe-render-fingerprint'
export const FINGERPRINT_TARGET: RenderTarget = { name: FINGERPRINT_NAME, namespace: FINGERPRINT_NAME }

export const labelsOf = ({ name }: RenderTarget, role?: string): Record<string, string> => ({
  [Label.managedBy]: OPERATOR_NAME,
  [Label.cluster]: name,
  ...(role === undefined ? {} : { [Label.role]: role }),
})

/** Selects the pods of one role. */
export const selectorOf = ({ name }: RenderTarget, role: string): Record<string, string> => ({
  [Label.cluster]: name,
  [Label.role]: role,
})

export function metadataOf(target: RenderTarget, suffix: string, role?: string): Manifest['metadata'] {
  const { name, namespace, owner } = target
  return {
    name: `${name}-${suffix}`,
    namespace,
    labels: labelsOf(target, role),
    ...(owner === undefined ? {} : { ownerReferences: [owner] }),
  }
}

/** The Secret of that suffix; values are given in plain and encoded here. */
export function secretOf(target: RenderTarget, suffix: string, values: Readonly<Record<string, string>>): Manifest {
  const encoded = Object.entries(values).map(([key, value]) => [key, Buffer.from(value).toString('base64')] as const)
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: metadataOf(target, suffix),
    type: 'Opaque',
    data: Object.fromEntries(encoded),
  }
}
