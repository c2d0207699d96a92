import { describe, expect, it } from 'vitest'
import { definitionsOfCrd } from './definitions.ts'
import { widgetCrd, widgetVersion } from './widget.fixture.ts'

describe('definitionsOfCrd', () => {
  it('describes what one version serves', () => {
    const [definition, ...others] = definitionsOfCrd(widgetCrd())
    expect(others).toEqual([])
    expect(definition).toMatchObject({
      group: 'example.com',
      version: 'v1',
      kind: 'Widget',
      listKind: 'WidgetList',
      plural: 'widgets',
      singular: 'widget',
      shortNames: ['wd'],
      categories: ['all'],
      namespaced: true,
      origin: 'custom',
      storageVersion: 'v1',
      prune: true,
      selectableFields: [],
      subresources: {
        status: true,
        scale: {
          specReplicasPath: '.spec.replicas',
          statusReplicasPath: '.status.replicas',
          labelSelectorPath: '.status.selector',
        },
      },
    })
    expect([...definition!.verbs].sort()).toEqual([
      'create',
      'delete',
      'deletecollection',
      'get',
      'list',
      'patch',
      'update',
      'watch',
    ])
  })

  it('completes the schema with the fields of every object', () => {
    const schema = definitionsOfCrd(widgetCrd())[0]!.schema()
    expect(Object.keys(schema.properties!)).toEqual(['apiVersion', 'kind', 'metadata', 'spec', 'status'])
    expect(schema.properties!['metadata']).toEqual({ type: 'object' })
  })

  it('leaves out versions that are not served, and names the stored one', () => {
    const crd = widgetCrd(({ spec }) => {
      spec.versions.push(widgetVersion('v2'))
      Object.assign(spec.versions[0]!, { served: false })
    })
    expect(definitionsOfCrd(crd).map(({ version, storageVersion }) => [version, storageVersion])).toEqual([
      ['v2', 'v1'],
    ])
  })

  it('shows the age when no columns are given, else the given ones', () => {
    expect(definitionsOfCrd(widgetCrd())[0]!.columns.map(({ name, jsonPath }) => [name, jsonPath])).toEqual([
      ['Age', '.metadata.creationTimestamp'],
    ])
    const columns = [{ name: 'Size', type: 'string', jsonPath: '.spec.size', priority: 1 }]
    const crd = widgetCrd(({ spec }) => {
      spec.versions[0]!['additionalPrinterColumns'] = columns
    })
    expect(definitionsOfCrd(crd)[0]!.columns).toEqual(columns)
  })

  it('names selectable fields without the leading dot', () => {
    const crd = widgetCrd(({ spec }) => {
      spec.versions[0]!['selectableFields'] = [{ jsonPath: '.spec.size' }]
    })
    expect(definitionsOfCrd(crd)[0]!.selectableFields).toEqual(['spec.size'])
  })
})
