/** Every recorded write of a real kube-apiserver has the same outcome here. */
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { ApiError } from '../errors.ts'
import { applyMergePatch } from '../patch/merge-patch.ts'
import { createObject } from '../registry/create-object.ts'
import { FieldFindings } from '../registry/field-findings.ts'
import { Registry } from '../registry/registry.ts'
import type { ResourceDefinition, StoredObject } from '../registry/resource-definition.ts'
import { updateObject } from '../registry/update-object.ts'
import { createMemoryPersistence } from '../store/persistence.ts'
import { Store } from '../store/store.ts'
import { builtinResources } from './index.ts'

interface WriteCase {
  name: string
  create: { apiVersion: string; kind: string; metadata: { name: string } }
  patches?: unknown[]
}

interface Cause {
  reason: string
  field: string
  message: string
}

interface Outcome {
  status: number
  reason?: string
  causes?: Cause[]
  object?: StoredObject
}

const read = (name: string): string => readFileSync(new URL(name, import.meta.url), 'utf8')
const cases: WriteCase[] = parse(read('write-cases.fixture.yaml'))
const recorded: Array<{ name: string; steps: Outcome[] }> = JSON.parse(read('recorded-writes.fixture.json'))

function definitionOf({ apiVersion, kind }: { apiVersion: string; kind: string }): ResourceDefinition {
  const [version = '', group = ''] = apiVersion.split('/').reverse()
  return builtinResources().find((one) => one.group === group && one.version === version && one.kind === kind)!
}

function replay({ create, patches = [] }: WriteCase): Outcome[] {
  const fail = (error: unknown): never => {
    throw error
  }
  const store = new Store({ persistence: createMemoryPersistence(), watchHistory: 10, onError: fail })
  const core = { store, registry: new Registry(builtinResources()), now: () => 0, onError: fail }
  const definition = definitionOf(create)
  const request = () => ({ findings: new FieldFindings('Ignore'), dryRun: false })
  const inDefault = { ...request(), definition, ...(definition.namespaced && { namespace: 'default' }) }
  createObject(
    core,
    { ...request(), definition: definitionOf({ apiVersion: 'v1', kind: 'Namespace' }) },
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'default' } },
  )
  let written = attempt(() => createObject(core, inDefault, create))
  const outcomes = [written.outcome]
  let entry = written.entry
  for (const patch of patches) {
    if (entry === undefined) break
    const current = entry
    written = attempt(() => {
      const body = applyMergePatch(current.copy(), patch)
      return updateObject(
        core,
        { ...inDefault, findings: new FieldFindings('Ignore'), current, target: 'object', isPatch: true },
        body,
      )
    })
    outcomes.push(written.outcome)
    entry = written.entry ?? entry
  }
  return outcomes
}

function attempt(write: () => ReturnType<typeof createObject>): {
  outcome: Outcome
  entry?: ReturnType<typeof createObject>['entry']
} {
  try {
    const { object, entry } = write()
    return { outcome: { status: 200, object }, ...(entry && { entry }) }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const { code, reason, details } = error.toStatus() as unknown as {
      code: number
      reason: string
      details?: { causes?: Cause[] }
    }
    return { outcome: { status: code, reason, causes: details?.causes ?? [] } }
  }
}

/** What differs from run to run, and what controllers that do not run here would take away again. */
function comparable({ status, reason, causes, object }: Outcome): unknown {
  if (object === undefined) return { status, reason, causes: comparableCauses(causes ?? []) }
  const { metadata, ...fields } = object
  const { resourceVersion: _revision, creationTimestamp: _time, finalizers, ...meta } = metadata
  const kept = finalizers?.filter((finalizer) => !/^kubernetes\.io\/(pvc?|vac)-protection$/.test(finalizer)) ?? []
  // Whether a kind counts generations is not a strategy's business.
  if (object.kind === 'PodTemplate' || object.kind === 'DeviceClass') delete meta.generation
  const shown = { ...fields, metadata: { ...meta, ...(kept.length > 0 && { finalizers: kept }) } }
  return { object: JSON.parse(JSON.stringify(shown).replaceAll(metadata.uid, 'UID'), forget) }
}

/** Each once. A list item that repeats another's keys is found here by its schema, there only by its name. */
function comparableCauses(causes: readonly Cause[]): string[] {
  const texts = causes
    .map(({ field, reason }) => `${field}: ${reason}`)
    .filter((text) => !text.endsWith(']: FieldValueDuplicate'))
  return [...new Set(texts)].sort()
}

function forget(key: string, value: unknown): unknown {
  if (key === 'taints' && Array.isArray(value)) {
    const kept = value.filter((taint) => taint.key !== 'node.kubernetes.io/not-ready')
    return kept.length === 0 ? undefined : kept
  }
  if (key === 'serviceAccountName' || key === 'serviceAccount') return undefined
  if (key === 'clusterIP' && value !== 'None') return 'allocated'
  if (key === 'clusterIPs' && Array.isArray(value) && value[0] !== 'None') return ['allocated']
  if (key === 'lastPhaseTransitionTime') return undefined
  // The real server leaves out empty lists.
  return value === null || (Array.isArray(value) && value.length === 0) ? undefined : value
}

describe('writes have the outcome that a real API server gave', () => {
  test.each(cases.map((one, index) => ({ ...one, steps: recorded[index]!.steps })))('$name', (one) => {
    expect(replay(one).map(comparable)).toEqual(one.steps.map(comparable))
  })
})
