import { describe, expect, it } from 'vitest'
import { KubeError } from '../../../kube/errors.ts'
import { type CollectOptions, collect } from './collect.ts'
import { redact } from './redact.ts'

const OPTIONS: CollectOptions = { logLines: 10, maxBytes: 1_000_000, hasTime: () => true }
const pod = {
  metadata: {
    name: 'web',
    namespace: 'shop',
    managedFields: [{ manager: 'kubectl' }],
    annotations: { 'kubectl.kubernetes.io/last-applied-configuration': '{"password":"hunter2"}', team: 'a' },
  },
  spec: {
    initContainers: [{ name: 'prepare' }],
    containers: [
      {
        name: 'app',
        env: [
          { name: 'DB_PASSWORD', value: 'hunter2' },
          { name: 'HOST', valueFrom: {} },
        ],
      },
    ],
  },
}

/** Answers by path without the query; others are empty lists. */
function guest(answers: Record<string, unknown>) {
  const asked: string[] = []
  return {
    asked,
    async raw(_method: string, path: string) {
      asked.push(path)
      const answer = answers[path.split('?')[0] ?? '']
      if (answer instanceof Error) throw answer
      return answer ?? { items: [] }
    },
  }
}

describe('collect', () => {
  it('has events, resources and the end of every log, and never asks for Secrets or ConfigMaps', async () => {
    const cluster = guest({
      '/api/v1/pods': { items: [pod] },
      '/api/v1/events': { items: [{ metadata: { name: 'e' }, message: 'failed' }] },
      '/api/v1/namespaces/shop/pods/web/log': 'last words\n',
    })
    const { resources, logs, omitted } = await collect(cluster, OPTIONS)
    expect(resources['events']).toMatchObject([{ message: 'failed' }])
    expect(logs).toEqual([
      { namespace: 'shop', pod: 'web', container: 'prepare', text: 'last words\n' },
      { namespace: 'shop', pod: 'web', container: 'app', text: 'last words\n' },
    ])
    expect(cluster.asked.some((path) => path.includes('tailLines=10'))).toBe(true)
    expect(cluster.asked.filter((path) => /secrets|configmaps/.test(path))).toEqual([])
    expect(JSON.stringify(resources)).not.toContain('hunter2')
    expect(omitted).toEqual([])
  })

  it('names what cannot be read, and goes on', async () => {
    const cluster = guest({
      '/api/v1/pods': { items: [pod] },
      '/apis/batch/v1/jobs': new KubeError('NotFound', 'no such path'),
      '/api/v1/namespaces/shop/pods/web/log': new KubeError('ServerError', 'no kubelet'),
    })
    const { omitted, resources } = await collect(cluster, OPTIONS)
    expect(omitted).toEqual([
      'jobs: NotFound',
      'log of shop/web/prepare: ServerError',
      'log of shop/web/app: ServerError',
    ])
    expect(Object.keys(resources)).toContain('persistentvolumeclaims')
  })

  it('asks a cluster that does not answer once', async () => {
    const cluster = guest({ '/api/v1/events': new KubeError('Unreachable', 'refused') })
    const { omitted } = await collect(cluster, OPTIONS)
    expect(cluster.asked).toHaveLength(1)
    expect(omitted).toContain('pods: the cluster does not answer')
  })

  it('ends when its time or its size is used up, and says so', async () => {
    const none = await collect(guest({}), { ...OPTIONS, hasTime: () => false })
    expect(none.omitted).toContain('events: the time was over')
    const many = {
      items: Array.from({ length: 50 }, (_, n) => ({ metadata: { name: `e${n}` }, message: 'x'.repeat(100) })),
    }
    const bounded = await collect(guest({ '/api/v1/events': many }), { ...OPTIONS, maxBytes: 1000 })
    expect(Buffer.byteLength(JSON.stringify(bounded.resources['events']))).toBeLessThan(1100)
    expect(bounded.omitted).toEqual(['events: the bundle has reached 1000 bytes'])
  })
})

describe('redact', () => {
  it('leaves out literal values of the environment, the applied manifest and bookkeeping, and nothing else', () => {
    const template = { metadata: { name: 'd' }, spec: { template: { spec: pod.spec }, env: 'prod' } }
    expect(redact(pod)).toEqual({
      metadata: { name: 'web', namespace: 'shop', annotations: { team: 'a' } },
      spec: {
        initContainers: [{ name: 'prepare' }],
        containers: [
          {
            name: 'app',
            env: [
              { name: 'DB_PASSWORD', value: '(left out)' },
              { name: 'HOST', valueFrom: {} },
            ],
          },
        ],
      },
    })
    expect(JSON.stringify(redact(template))).toContain('"env":"prod"')
    expect(JSON.stringify(redact(template))).not.toContain('hunter2')
  })
})
