/** A valid CRD for tests, with its defaults filled in. */
export interface Widget {
  apiVersion: string
  kind: string
  metadata: { name: string; annotations?: Record<string, string> }
  spec: Record<string, unknown> & { names: Record<string, unknown>; versions: Array<Record<string, unknown>> }
  status: Record<string, unknown>
}

export function widgetCrd(change: (crd: Widget) => void = () => undefined): Widget {
  const crd: Widget = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'widgets.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: {
        plural: 'widgets',
        singular: 'widget',
        kind: 'Widget',
        listKind: 'WidgetList',
        shortNames: ['wd'],
        categories: ['all'],
      },
      conversion: { strategy: 'None' },
      versions: [widgetVersion('v1')],
    },
    status: { storedVersions: ['v1'] },
  }
  change(crd)
  return crd
}

export function widgetVersion(name: string): Record<string, unknown> {
  return {
    name,
    served: true,
    storage: name === 'v1',
    subresources: {
      status: {},
      scale: {
        specReplicasPath: '.spec.replicas',
        statusReplicasPath: '.status.replicas',
        labelSelectorPath: '.status.selector',
      },
    },
    schema: {
      openAPIV3Schema: {
        type: 'object',
        properties: {
          spec: { type: 'object', properties: { replicas: { type: 'integer', default: 1 }, size: { type: 'string' } } },
          status: { type: 'object', properties: { replicas: { type: 'integer' }, selector: { type: 'string' } } },
        },
      },
    },
  }
}
