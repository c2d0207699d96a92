import { describe, expect, test } from 'vitest'
import type { DrainAction } from '../../../core/drain/model.ts'
import type { KubeClient } from '../../../kube/client.ts'
import { KubeError } from '../../../kube/errors.ts'
import { errorOfAnswer, unreachable } from '../../../kube/response-error.ts'
import { endPod } from './evict.ts'

const POD = { namespace: 'default', name: 'db-0', uid: 'ours' }
const evict: DrainAction = { kind: 'Evict', pod: POD, gracePeriodSeconds: 5 }

interface Sent {
  readonly method: string
  readonly path: string
  readonly body: unknown
}

/** An API server that refuses in one way, and has this to say of the pod. */
function server(refusal: KubeError | undefined, pod: object | KubeError = new KubeError('NotFound', 'gone')) {
  const sent: Sent[] = []
  const client = {
    raw: async (method: string, path: string, body: unknown) => {
      sent.push({ method, path, body })
      if (refusal !== undefined) throw refusal
      return {}
    },
    get: async () => {
      if (pod instanceof KubeError) throw pod
      return pod
    },
  }
  return { client: client as unknown as KubeClient, sent }
}

const answered = (status: number, body: object) =>
  errorOfAnswer('POST eviction', { status, body: { kind: 'Status', message: 'no', ...body } })

describe('one eviction', () => {
  test('carries the UID of the pod, and the grace period that was asked for', async () => {
    const { client, sent } = server(undefined)
    expect(await endPod(client, evict)).toMatchObject({ answer: 'Accepted' })
    expect(sent).toMatchObject([
      {
        method: 'POST',
        path: '/api/v1/namespaces/default/pods/db-0/eviction',
        body: { kind: 'Eviction', deleteOptions: { preconditions: { uid: 'ours' }, gracePeriodSeconds: 5 } },
      },
    ])
  })

  test.each([
    ['404', answered(404, { reason: 'NotFound' }), 'Gone'],
    ['429 of a budget', answered(429, { details: { causes: [{ reason: 'DisruptionBudget' }] } }), 'Budget'],
    ['429 of an API server that protects itself', answered(429, {}), 'Throttled'],
    ['500', answered(500, { reason: 'InternalError' }), 'ServerError'],
    ['403 of a missing permission', answered(403, { reason: 'Forbidden' }), 'Forbidden'],
    [
      '403 of a namespace that is going',
      answered(403, { reason: 'Forbidden', details: { causes: [{ reason: 'NamespaceTerminating' }] } }),
      'NamespaceTerminating',
    ],
    ['403 of an admission webhook, which gives no reason', answered(403, {}), 'Denied'],
    ['400 of an admission webhook', answered(400, {}), 'Denied'],
  ])('%s is told apart without reading its text', async (_, refusal, answer) => {
    expect(await endPod(server(refusal).client, evict)).toMatchObject({ answer })
  })

  test('a Retry-After is passed on', async () => {
    const refusal = answered(429, { details: { causes: [{ reason: 'DisruptionBudget' }], retryAfterSeconds: 10 } })
    expect(await endPod(server(refusal).client, evict)).toMatchObject({ answer: 'Budget', retryAfterMs: 10_000 })
  })

  test.each([
    ['another pod has its name', { metadata: { uid: 'theirs' } }, 'OtherPod', 'OtherPod'],
    ['it is ending', { metadata: { uid: 'ours', deletionTimestamp: '2030-01-01T00:00:00Z' } }, 'Accepted', 'Accepted'],
    ['it is gone', new KubeError('NotFound', 'gone'), 'Gone', 'Gone'],
    ['it is as it was', { metadata: { uid: 'ours' } }, 'Conflict', 'NoAnswer'],
    ['that cannot be told either', unreachable('GET pod', new Error('reset')), 'Conflict', 'NoAnswer'],
  ])('after a conflict, or no answer, a look tells: %s', async (_, pod, conflict, lost) => {
    expect(await endPod(server(answered(409, { reason: 'Conflict' }), pod).client, evict)).toMatchObject({
      answer: conflict,
    })
    expect(await endPod(server(unreachable('POST eviction', new Error('reset')), pod).client, evict)).toMatchObject({
      answer: lost,
    })
  })
})
