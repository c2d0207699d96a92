/**
 * A Job in the cluster that has to succeed. It is deleted however it ends; should the operator die meanwhile, its own deadline ends
 * it, the cluster removes it after a while, and the next try begins with what an earlier one left.
 */
import type { KubeObject, ResourceType } from '../../../api/resource.ts'
import { Label, OPERATOR_NAME } from '../../../api/v1alpha1/labels.ts'
import type { ManagedCluster, NodeHealthCheck } from '../../../api/v1alpha1/managed-cluster.ts'
import type { KubeClient } from '../../../kube/client.ts'
import { isKubeError } from '../../../kube/errors.ts'
import type { Attempt, Try, Wrong } from './check.ts'

const POLL_MS = 1_000
/** For a Job that nobody deleted. */
const KEPT_SECONDS = 600
/** The name of a Job is a label of its pods: 63 characters, with a prefix and a moment. */
const MOST_OF_NAME = 40

interface Job extends KubeObject {
  readonly spec?: Readonly<Record<string, unknown>>
  readonly status?: {
    readonly conditions?: readonly { type?: string; status?: string; reason?: string; message?: string }[]
  }
}

export const JOBS: ResourceType<Job> = { group: 'batch', version: 'v1', plural: 'jobs', kind: 'Job', namespaced: true }

export const job: Try = async (check, { cluster, session }, attempt) => {
  const { job: block } = check
  if (block === undefined) return 'it has no block job'
  if (session === undefined) return 'the API of the cluster cannot be reached'
  const { client } = session
  const labels = labelsOf(check, cluster)
  await removeEarlier(client, block.namespace, labels)
  const { metadata } = await client.create(JOBS, jobOf(check, labels, attempt))
  const ref = { name: metadata.name ?? '', namespace: block.namespace, uid: metadata.uid ?? '' }
  try {
    return await endOf(client, ref, attempt)
  } finally {
    await remove(client, ref).catch((error: unknown) => {
      attempt.warn(
        { job: `${ref.namespace}/${ref.name}`, err: error },
        'the Job of a health check stays until its time is over',
      )
    })
  }
}

/** Also on the pods: other checks know them by it. */
function labelsOf({ name }: NodeHealthCheck, { metadata }: ManagedCluster): Readonly<Record<string, string>> {
  return {
    [Label.managedBy]: OPERATOR_NAME,
    [Label.healthCheck]: name,
    [Label.managedCluster]: metadata.uid ?? '',
  }
}

function jobOf(
  { name, job: block }: NodeHealthCheck,
  labels: Record<string, string>,
  { clock, timeoutMs }: Attempt,
): Job {
  const spec = { backoffLimit: 0, ttlSecondsAfterFinished: KEPT_SECONDS, ...block?.template }
  const pod = recordOf(recordOf(block?.template)['template'])
  const metadata = recordOf(pod['metadata'])
  const deadline = Math.ceil(timeoutMs / 1000)
  const asked = Number(recordOf(block?.template)['activeDeadlineSeconds'] ?? deadline)
  return {
    metadata: {
      name: `kobe-check-${name.slice(0, MOST_OF_NAME)}-${clock.now().toString(36)}`,
      namespace: block?.namespace ?? '',
      labels,
    },
    spec: {
      ...spec,
      activeDeadlineSeconds: Math.min(asked, deadline),
      template: {
        ...pod,
        metadata: { ...metadata, labels: { ...recordOf(metadata['labels']), ...labels } },
        spec: { restartPolicy: 'Never', ...recordOf(pod['spec']) },
      },
    },
  }
}

const recordOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}

interface JobRef {
  readonly name: string
  readonly namespace: string
  readonly uid: string
}

async function endOf(client: KubeClient, ref: JobRef, { clock, signal }: Attempt): Promise<Wrong> {
  while (!signal.aborted) {
    const ended = verdictOf(await client.get(JOBS, ref))
    if (ended !== undefined) return ended.wrong
    await clock.after(POLL_MS, signal)
  }
  return `Job ${ref.namespace}/${ref.name} has not succeeded in time`
}

/** Undefined while it runs. */
function verdictOf({ metadata, status }: Job): { readonly wrong: Wrong } | undefined {
  const met = (status?.conditions ?? []).filter(({ status: is }) => is === 'True')
  const failed = met.find(({ type }) => type === 'Failed')
  if (failed === undefined) return met.some(({ type }) => type === 'Complete') ? { wrong: undefined } : undefined
  const { reason = '', message = '' } = failed
  const why = [reason, message.slice(0, 200)].filter((part) => part !== '').join(': ')
  return { wrong: `Job ${metadata.namespace}/${metadata.name} failed: ${why}` }
}

async function removeEarlier(client: KubeClient, namespace: string, labels: Record<string, string>): Promise<void> {
  const labelSelector = Object.entries(labels)
    .map(([label, value]) => `${label}=${value}`)
    .join(',')
  const { items } = await client.list(JOBS, { namespace, labelSelector })
  await Promise.all(items.map(({ metadata: { name = '', uid = '' } }) => remove(client, { name, namespace, uid })))
}

async function remove(client: KubeClient, { name, namespace, uid }: JobRef): Promise<void> {
  try {
    await client.delete(JOBS, { name, namespace }, { uid, propagationPolicy: 'Background' })
  } catch (error) {
    if (!isKubeError(error, 'NotFound', 'Conflict')) throw error
  }
}
