import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { parseObject } from './parse.ts'
import { KIND_NAMES } from './v1alpha1/kinds.ts'

const FOLDER = join(import.meta.dirname, '..', '..', 'examples')

const objects = readdirSync(FOLDER)
  .filter((file) => file.endsWith('.yaml'))
  .flatMap((file) =>
    parseAllDocuments(readFileSync(join(FOLDER, file), 'utf8')).map((document) => [file, document.toJS()] as const),
  )

describe('examples', () => {
  it.each(objects)('%s is valid and holds no unknown field', (_file, object) => {
    const kind = KIND_NAMES.find((name) => name === object.kind)
    expect(kind).toBeDefined()
    expect(parseObject(kind!, object, { unknownFields: 'reject' })).toMatchObject({ ok: true })
  })

  it('show every kind that people write', () => {
    const shown = new Set(objects.map(([, object]) => object.kind))
    expect([...shown].sort()).toEqual([
      'AccessPolicy',
      'BootstrapConfig',
      'ClusterLease',
      'ClusterPool',
      'ManagedCluster',
      'NodeOperation',
    ])
  })
})
