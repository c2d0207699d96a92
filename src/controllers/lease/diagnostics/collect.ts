/**
 * Gathers what a cluster can tell of itself, within bounds on time and size. What cannot be read is named in `omitted` and
 * never ends the rest; only when the cluster does not answer at all nothing more is asked.
 */
import type { KubeObject } from '../../../api/resource.ts'
import type { KubeClient } from '../../../kube/client.ts'
import { isKubeError } from '../../../kube/errors.ts'
import { redact } from './redact.ts'

/** What is asked for, most telling first: when a bound is reached, what is left is cut off. Secrets and ConfigMaps are not among it. */
const RESOURCES: readonly (readonly [name: string, path: string])[] = [
  ['events', '/api/v1/events'],
  ['nodes', '/api/v1/nodes'],
  ['pods', '/api/v1/pods'],
  ['namespaces', '/api/v1/namespaces'],
  ['deployments', '/apis/apps/v1/deployments'],
  ['statefulsets', '/apis/apps/v1/statefulsets'],
  ['daemonsets', '/apis/apps/v1/daemonsets'],
  ['replicasets', '/apis/apps/v1/replicasets'],
  ['jobs', '/apis/batch/v1/jobs'],
  ['services', '/api/v1/services'],
  ['persistentvolumeclaims', '/api/v1/persistentvolumeclaims'],
]
const MAX_ITEMS = 500
const MAX_LOGS = 100
/** Of one log, bytes. */
const LOG_BYTES = 64 * 1024

export interface CollectOptions {
  /** Most lines kept of each log. */
  readonly logLines: number
  /** Of everything together, bytes of JSON. */
  readonly maxBytes: number
  /** False: the time is over. */
  hasTime(): boolean
}

export interface PodLog {
  readonly namespace: string
  readonly pod: string
  readonly container: string
  readonly text: string
}

export interface Collected {
  readonly resources: Readonly<Record<string, readonly object[]>>
  readonly logs: readonly PodLog[]
  /** What is missing, and why. */
  readonly omitted: readonly string[]
}

type Guest = Pick<KubeClient, 'raw'>

interface Gathering {
  readonly guest: Guest
  readonly options: CollectOptions
  readonly resources: Record<string, object[]>
  readonly logs: PodLog[]
  readonly omitted: string[]
  bytes: number
  /** The cluster does not answer. */
  silent: boolean
}

export async function collect(guest: Guest, options: CollectOptions): Promise<Collected> {
  const gathering: Gathering = { guest, options, resources: {}, logs: [], omitted: [], bytes: 0, silent: false }
  const pods: KubeObject[] = []
  for (const [name, path] of RESOURCES) {
    const items = await list(gathering, name, path)
    if (name === 'pods') pods.push(...items)
    gathering.resources[name] = items.map(redact).filter((item) => fits(gathering, name, item))
  }
  await collectLogs(gathering, pods)
  const { resources, logs, omitted } = gathering
  return { resources, logs, omitted: [...new Set(omitted)] }
}

async function list(gathering: Gathering, name: string, path: string): Promise<readonly KubeObject[]> {
  const answer = await ask(gathering, name, `${path}?limit=${MAX_ITEMS}`)
  const { items, metadata } = (answer ?? {}) as { items?: KubeObject[]; metadata?: { continue?: string } }
  if (metadata?.continue) gathering.omitted.push(`${name}: only the first ${MAX_ITEMS}`)
  return items ?? []
}

async function collectLogs(gathering: Gathering, pods: readonly KubeObject[]): Promise<void> {
  const containers = pods.flatMap(containersOf)
  if (containers.length > MAX_LOGS) gathering.omitted.push(`logs: only of the first ${MAX_LOGS} containers`)
  const query = `tailLines=${gathering.options.logLines}&limitBytes=${LOG_BYTES}`
  for (const { namespace, pod, container } of containers.slice(0, MAX_LOGS)) {
    const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(pod)}/log`
    const what = `log of ${namespace}/${pod}/${container}`
    const answer = await ask(gathering, what, `${path}?container=${encodeURIComponent(container)}&${query}`)
    if (answer === undefined) continue
    // A log that is JSON comes parsed.
    const log = { namespace, pod, container, text: typeof answer === 'string' ? answer : JSON.stringify(answer) }
    if (fits(gathering, 'logs', log)) gathering.logs.push(log)
  }
}

function containersOf({ metadata, ...rest }: KubeObject): { namespace: string; pod: string; container: string }[] {
  const { spec } = rest as { spec?: { containers?: { name: string }[]; initContainers?: { name: string }[] } }
  const { namespace = '', name: pod = '' } = metadata
  const all = [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])]
  return all.map(({ name: container }) => ({ namespace, pod, container }))
}

/** Undefined: there is no answer, and `omitted` says why. */
async function ask(gathering: Gathering, what: string, path: string): Promise<unknown> {
  const { guest, options, omitted, silent } = gathering
  if (silent || !options.hasTime()) {
    omitted.push(`${what}: ${silent ? 'the cluster does not answer' : 'the time was over'}`)
    return undefined
  }
  try {
    return await guest.raw('GET', path)
  } catch (error) {
    if (!isKubeError(error)) throw error
    if (error.code === 'Unreachable') gathering.silent = true
    omitted.push(`${what}: ${error.code}`)
    return undefined
  }
}

function fits(gathering: Gathering, what: string, item: object): boolean {
  const bytes = Buffer.byteLength(JSON.stringify(item))
  if (gathering.bytes + bytes > gathering.options.maxBytes) {
    gathering.omitted.push(`${what}: the bundle has reached ${gathering.options.maxBytes} bytes`)
    return false
  }
  gathering.bytes += bytes
  return true
}
