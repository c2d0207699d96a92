import { describe, expect, it } from 'vitest'
import { validateCrd } from './validate-crd.ts'
import { type Widget, widgetCrd, widgetVersion } from './widget.fixture.ts'

const texts = (crd: unknown, old?: unknown): string[] =>
  validateCrd(crd, old).map(({ field, message }) => `${field}: ${message}`)

const version = (change: Record<string, unknown>) => (crd: Widget) => Object.assign(crd.spec.versions[0]!, change)
const names = (change: Record<string, unknown>) => (crd: Widget) => Object.assign(crd.spec.names, change)
const conversion = (value: unknown) => (crd: Widget) => Object.assign(crd.spec, { conversion: value })
const webhook = (clientConfig: unknown, conversionReviewVersions: string[] = ['v1']) =>
  conversion({ strategy: 'Webhook', webhook: { clientConfig, conversionReviewVersions } })

describe('validateCrd', () => {
  it.each<[string, (crd: Widget) => void]>([
    ['the plain one', () => undefined],
    ['two versions, one of them stored', (crd) => crd.spec.versions.push(widgetVersion('v2'))],
    ['a webhook at a URL', webhook({ url: 'https://example.com/convert' })],
    ['a webhook of a service', webhook({ service: { namespace: 'a', name: 'b', path: '/convert' } })],
    [
      'columns and selectable fields',
      version({
        additionalPrinterColumns: [{ name: 'Size', type: 'string', jsonPath: '.spec.size' }],
        selectableFields: [{ jsonPath: '.spec.size' }],
      }),
    ],
    ['a deprecated version that says so', version({ deprecated: true, deprecationWarning: 'use v2' })],
    [
      'an approved group of the Kubernetes project',
      (crd) => {
        crd.spec['group'] = 'x.k8s.io'
        crd.metadata = {
          name: 'widgets.x.k8s.io',
          annotations: { 'api-approved.kubernetes.io': 'https://github.com/kubernetes/kubernetes/pull/1' },
        }
      },
    ],
  ])('accepts %s', (_rule, change) => {
    expect(texts(widgetCrd(change))).toEqual([])
  })

  it.each<[string, (crd: Widget) => void, string[]]>([
    [
      'another object name',
      (crd) => {
        crd.metadata.name = 'x.y'
      },
      ['metadata.name: Invalid value: "x.y": must be spec.names.plural+"."+spec.group'],
    ],
    [
      'an unknown scope',
      (crd) => {
        crd.spec['scope'] = 'Global'
      },
      ['spec.scope: Unsupported value: "Global": supported values: "Cluster", "Namespaced"'],
    ],
    [
      'a group without a dot',
      (crd) => {
        crd.spec['group'] = 'x'
        crd.metadata.name = 'widgets.x'
      },
      ['spec.group: Invalid value: "x": should be a domain with at least one dot'],
    ],
    [
      'kind equal to listKind',
      names({ listKind: 'Widget' }),
      ['spec.names.listKind: Invalid value: "Widget": kind and listKind may not be the same'],
    ],
    ['a missing kind', names({ kind: '' }), ['spec.names.kind: Required value']],
    [
      'no stored version',
      version({ storage: false }),
      [
        expect.stringMatching(
          /^spec\.versions: Invalid value: .*: must have exactly one version marked as storage version$/,
        ),
      ] as unknown as string[],
    ],
    [
      'a version without a schema',
      version({ schema: undefined }),
      ['spec.versions[0].schema.openAPIV3Schema: Required value'],
    ],
    [
      'a schema that is not structural',
      version({ schema: { openAPIV3Schema: { type: 'object', properties: { spec: {} } } } }),
      [
        'spec.validation.openAPIV3Schema.properties[spec].type: Required value: must not be empty for specified object fields',
      ],
    ],
    [
      'a scale path outside of spec',
      version({ subresources: { scale: { specReplicasPath: '.status.x', statusReplicasPath: 'x' } } }),
      [
        'spec.subresources.scale.specReplicasPath: Invalid value: ".status.x": should be a json path under .spec',
        'spec.subresources.scale.statusReplicasPath: Invalid value: "x": must be a simple json path starting with .',
      ],
    ],
    [
      'a column of an unknown type',
      version({ additionalPrinterColumns: [{ name: 'A', type: 'text', jsonPath: '.a' }] }),
      [
        'spec.additionalPrinterColumns[0].type: Invalid value: "text": must be one of boolean,date,integer,number,string',
      ],
    ],
    [
      'a column without a path',
      version({ additionalPrinterColumns: [{ name: 'A', type: 'string' }] }),
      ['spec.additionalPrinterColumns[0].JSONPath: Required value'],
    ],
    [
      'a selectable object',
      version({ selectableFields: [{ jsonPath: '.spec' }] }),
      [
        'spec.selectableFields[0].jsonPath: Invalid value: ".spec": must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.',
      ],
    ],
    [
      'a selectable field twice',
      version({ selectableFields: [{ jsonPath: '.spec.size' }, { jsonPath: '.spec.size' }] }),
      ['spec.selectableFields[1].jsonPath: Duplicate value: ".spec.size"'],
    ],
    [
      'a warning on a version that is not deprecated',
      version({ deprecationWarning: 'x' }),
      ['spec.versions[0].deprecationWarning: Invalid value: "x": can only be set for deprecated versions'],
    ],
    [
      'preserveUnknownFields',
      (crd) => {
        crd.spec['preserveUnknownFields'] = true
      },
      [
        'spec.preserveUnknownFields: Invalid value: true: must be false in order to use defaults in the schema',
        'spec.preserveUnknownFields: Invalid value: true: cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead',
      ],
    ],
    [
      'an unknown conversion',
      conversion({ strategy: 'Magic' }),
      ['spec.conversion.strategy: Unsupported value: "Magic": supported values: "None", "Webhook"'],
    ],
    [
      'a webhook without a client',
      webhook(undefined),
      ['spec.conversion.webhookClientConfig: Required value: required when strategy is set to Webhook'],
    ],
    [
      'a webhook over plain HTTP',
      webhook({ url: 'http://h/' }),
      [
        'spec.conversion.webhookClientConfig.url: Invalid value: "http": \'https\' is the only allowed URL scheme; desired format: https://host[/path]',
      ],
    ],
    [
      'a webhook that speaks no known review version',
      webhook({ url: 'https://h' }, ['v9']),
      ['spec.conversion.conversionReviewVersions: Invalid value: ["v9"]: must include at least one of v1, v1beta1'],
    ],
    [
      'a webhook beside strategy None',
      conversion({ strategy: 'None', webhook: { clientConfig: { url: 'https://h' } } }),
      ['spec.conversion.webhookClientConfig: Forbidden: should not be set when strategy is not set to Webhook'],
    ],
    [
      'a forgotten stored version',
      (crd) => {
        crd.status['storedVersions'] = ['v1', 'v0']
      },
      [
        expect.stringMatching(
          /^status\.storedVersions\[1\]: Invalid value: "v0": missing from spec\.versions; v0 was previously a storage version/,
        ),
      ] as unknown as string[],
    ],
    [
      'a protected group without approval',
      (crd) => {
        crd.spec['group'] = 'a.k8s.io'
        crd.metadata.name = 'widgets.a.k8s.io'
      },
      [
        expect.stringMatching(
          /^metadata\.annotations\[api-approved\.kubernetes\.io\]: Required value: protected groups/,
        ),
      ] as unknown as string[],
    ],
  ])('refuses %s', (_rule, change, expected) => {
    expect(texts(widgetCrd(change))).toEqual(expected)
  })

  it('reports a schema per version where versions differ', () => {
    const crd = widgetCrd(({ spec }) => {
      spec.versions.push({
        ...widgetVersion('v2'),
        schema: { openAPIV3Schema: { type: 'object', properties: { spec: {} } } },
      })
    })
    expect(texts(crd)).toEqual([
      'spec.versions[1].schema.openAPIV3Schema.properties[spec].type: Required value: must not be empty for specified object fields',
    ])
  })

  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['a text', 'x'],
    [
      'fields of the wrong type',
      { metadata: 1, spec: { names: [], versions: [1, { schema: 'x', selectableFields: {} }] }, status: [] },
    ],
  ])('survives %s', (_what, crd) => {
    expect(validateCrd(crd).length).toBeGreaterThan(0)
  })
})

describe('validateCrd on update', () => {
  const established = widgetCrd((crd) => {
    crd.status['conditions'] = [{ type: 'Established', status: 'True' }]
  })

  it.each<[string, (crd: Widget) => void, string[]]>([
    ['allows another schema', (crd) => crd.spec.versions.push(widgetVersion('v2')), []],
    [
      'keeps the scope',
      (crd) => {
        crd.spec['scope'] = 'Cluster'
      },
      ['spec.scope: Invalid value: "Cluster": field is immutable'],
    ],
    [
      'keeps the kind',
      names({ kind: 'Gadget', listKind: 'GadgetList' }),
      ['spec.names.kind: Invalid value: "Gadget": field is immutable'],
    ],
    [
      'keeps the plural',
      names({ plural: 'gadgets' }),
      ['spec.names.plural: Invalid value: "gadgets": field is immutable'],
    ],
  ])('%s of an established CRD', (_rule, change, expected) => {
    expect(texts(widgetCrd(change), established)).toEqual(expected)
  })

  it('lets the scope change before the CRD is established', () => {
    expect(
      texts(
        widgetCrd((crd) => {
          crd.spec['scope'] = 'Cluster'
        }),
        widgetCrd(),
      ),
    ).toEqual([])
  })
})

describe('rules that could be too dear', () => {
  const dear = version({
    schema: {
      openAPIV3Schema: {
        type: 'object',
        properties: {
          spec: {
            type: 'array',
            maxItems: 1_000_000,
            items: {
              type: 'string',
              maxLength: 10,
              'x-kubernetes-validations': [{ rule: "self.matches('^[a-z]+$')" }],
            },
          },
        },
      },
    },
  })

  it('are refused in a new definition, with the factor', () => {
    expect(texts(widgetCrd(dear))).toEqual([
      expect.stringContaining('Forbidden: estimated rule cost exceeds budget by factor of 1.100000x'),
    ])
  })

  it('stay while an update leaves the schema as it is', () => {
    const more = (crd: Widget) => {
      dear(crd)
      crd.spec.names['shortNames'] = ['wi']
    }
    expect(texts(widgetCrd(more), widgetCrd(dear))).toEqual([])
    expect(texts(widgetCrd(dear), widgetCrd())).toHaveLength(1)
  })
})
