/** The OpenAPI document without a running server: for the generated file, its test, and clients that are generated from it. */
import { Registry } from 'prom-client'
import type { KubeClient } from '../kube/client.ts'
import { systemClock } from '../kube/clock.ts'
import { silentLog } from '../kube/log.ts'
import { createApp } from './app.ts'
import type { ObjectCache } from './deps.ts'

export async function describeApi(version: string): Promise<object> {
  const app = createApp({
    client: unusedClient(),
    caches: {
      pools: empty(),
      instances: empty(),
      leases: empty(),
      policies: empty(),
      secrets: empty(),
      clusters: empty(),
      operations: empty(),
    },
    clock: systemClock,
    log: silentLog,
    namespace: 'kobe-system',
    version,
    publicUrl: () => 'https://127.0.0.1',
    random: { hex: () => '', uuid: () => '' },
    guestKubeconfig: async () => undefined,
    registry: new Registry(),
    observePool: () => undefined,
    insight: { plan: unused, judgeSettings: unused, nodes: unused },
    observeLease: async () => undefined,
  })
  await app.ready()
  const document = app.swagger()
  await app.close()
  return document
}

function empty<T extends object>(): ObjectCache<T & { metadata: object }> {
  return { get: () => undefined, list: () => [], on: () => () => undefined }
}

/** Describing asks no API server. */
const unused = (): never => {
  throw new Error('the OpenAPI document is made without an API server')
}

function unusedClient(): KubeClient {
  return {
    get: unused,
    list: unused,
    watch: unused,
    create: unused,
    replace: unused,
    patch: unused,
    delete: unused,
    raw: unused,
  }
}
