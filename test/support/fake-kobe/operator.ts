/**
 * Program: the whole operator, controllers and HTTP, with a backend in memory. Arguments: kubeconfig, state folder, milliseconds
 * until a member answers. Members that a process before it made are taken over, as real ones would be. Asked with `figures` it
 * tells what it has written and how long its event loop was blocked since it was asked before.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { CLUSTER_INSTANCES } from '../../../src/api/v1alpha1/resources.ts'
import { createFakeBackend, type FakeMember } from '../../../src/backends/fake/fake-backend.ts'
import type { KubeClient } from '../../../src/kube/client.ts'
import { systemClock } from '../../../src/kube/clock.ts'
import { createKubeClient } from '../../../src/kube/kube-client.ts'
import { silentLog } from '../../../src/kube/log.ts'
import { startOperator } from '../../../src/operator.ts'
import { createOperatorLog } from '../../../src/up/operator-log.ts'
import { ensureServingCertificate } from '../../../src/up/serving-certificate.ts'
import { NAMESPACE, type OperatorFigures } from './figures.ts'

const [kubeconfigPath = '', stateDir = '', provisionMs = '0'] = process.argv.slice(2)

let written: Record<string, number> = {}
let read: Record<string, number> = {}
const delay = monitorEventLoopDelay({ resolution: 5 })
delay.enable()

const count = (into: Record<string, number>, what: string): void => {
  into[what] = (into[what] ?? 0) + 1
}
const counting = (inner: KubeClient): KubeClient => {
  const wrote = (verb: string, kind: string, subresource?: string) =>
    count(written, `${verb} ${kind}${subresource === undefined ? '' : `/${subresource}`}`)
  return {
    get: (type, ref) => {
      count(read, `get ${type.kind}`)
      return inner.get(type, ref)
    },
    list: (type, options) => {
      count(read, `list ${type.kind}`)
      return inner.list(type, options)
    },
    watch: (type, options) => inner.watch(type, options),
    raw: (method, path, body) => inner.raw(method, path, body),
    create: (type, object, options) => {
      wrote('create', type.kind, options?.subresource)
      return inner.create(type, object, options)
    },
    replace: (type, object, options) => {
      wrote('replace', type.kind, options?.subresource)
      return inner.replace(type, object, options)
    },
    patch: (type, ref, patch, options) => {
      wrote('patch', type.kind, options?.subresource)
      return inner.patch(type, ref, patch, options)
    },
    delete: (type, ref, options) => {
      wrote('delete', type.kind)
      return inner.delete(type, ref, options)
    },
  }
}

const world = new Map<string, FakeMember>()
const backend = Object.assign(createFakeBackend({ clock: systemClock, world, provisionMs: Number(provisionMs) }), {
  type: 'k3s',
})
const client = createKubeClient({ kubeconfigPath })
const log = process.env['KOBE_TEST_LOG'] === undefined ? silentLog : createOperatorLog('info').log

const takeOver = async (): Promise<void> => {
  const { items } = await client.list(CLUSTER_INSTANCES, { namespace: NAMESPACE })
  for (const { metadata, status, spec } of items) {
    const { name = '', uid = '' } = metadata
    if (status?.specHash === undefined || world.has(name)) continue
    world.set(name, { name, uid, version: spec.cluster?.version ?? '', createdAt: 0, readyAt: 0 })
  }
}

const operator = await startOperator({
  client: counting(client),
  namespace: NAMESPACE,
  identity: `fake-${process.pid}-${Date.now()}`,
  backends: [backend],
  listen: { host: '127.0.0.1', httpsPort: 0, httpPort: 0 },
  tls: await ensureServingCertificate(stateDir, ['127.0.0.1', 'localhost'], Date.now()),
  installCrds: true,
  onLeading: takeOver,
  clock: systemClock,
  log,
})

function figures(): OperatorFigures {
  const { user, system } = process.cpuUsage()
  const answer = {
    written,
    read,
    loopDelayMs: { p50: delay.percentile(50) / 1e6 - 5, p99: delay.percentile(99) / 1e6 - 5, max: delay.max / 1e6 - 5 },
    cpuMs: (user + system) / 1000,
  }
  written = {}
  read = {}
  delay.reset()
  return answer
}

process.on('message', () => process.send?.({ figures: figures() }))
process.on('disconnect', () => process.exit(0))
process.on('SIGTERM', () => process.exit(0))
process.send?.({ ready: true, httpUrl: operator.httpUrl, httpsUrl: operator.httpsUrl })
await operator.done
