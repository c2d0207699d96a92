/** Describes a cluster that exists: a ManagedCluster, and a Secret of its own for a kubeconfig that was sent along. */

import { SECRETS, type Secret } from '../../api/core-resources.ts'
import { parseObject } from '../../api/parse.ts'
import { KUBECONFIG_KEY, Label, OPERATOR_NAME } from '../../api/v1alpha1/labels.ts'
import type { ManagedCluster, ManagedClusterInput } from '../../api/v1alpha1/managed-cluster.ts'
import { API_VERSION, MANAGED_CLUSTERS } from '../../api/v1alpha1/resources.ts'
import { isKubeError } from '../../kube/errors.ts'
import { fencedPatch } from '../../kube/fenced-patch.ts'
import { refOf } from '../../kube/request-path.ts'
import type { HttpContext } from '../context.ts'
import { ApiError } from '../errors.ts'
import { DNS_LABEL } from '../leases/lease-request.ts'
import { readObject } from '../read-object.ts'
import { refusedByServer } from '../refused-by-server.ts'
import type { CreateClusterBody } from '../schemas/cluster.ts'
import { refuseKubeconfig } from './kubeconfig-check.ts'

type Stores = Pick<HttpContext, 'deps' | 'clusters'>

/** @throws ApiError: why not; nothing is left behind then */
export async function createCluster(context: Stores, body: CreateClusterBody): Promise<ManagedCluster> {
  const { deps } = context
  if (!DNS_LABEL.test(body.name))
    throw invalid('name', `name '${body.name.slice(0, 80)}' is not a DNS label: 1 to 63 of a-z, 0-9 and '-'`)
  const secretName = `${body.name}-kubeconfig-${deps.random.hex(3)}`
  const cluster = parseCluster(context, body, secretName)
  await checkConnection(context, body)
  const secret = body.kubeconfig === undefined ? undefined : await keep(context, secretName, body.kubeconfig)
  try {
    const created = await deps.client.create(MANAGED_CLUSTERS, cluster)
    context.clusters.wrote(created)
    if (secret !== undefined) await own(context, secret, created)
    return created
  } catch (error) {
    if (secret !== undefined && !isKubeError(error, 'Unreachable', 'Timeout')) await drop(context, secret)
    throw translated(error, body.name)
  }
}

const invalid = (field: string, detail: string): ApiError => new ApiError('invalid_request', { detail, field })

function parseCluster({ deps }: Stores, body: CreateClusterBody, secretName: string): ManagedCluster {
  const { name, kubeconfig, kubeconfigSecret, inCluster, endpoints = [], ...spec } = body
  const ref = kubeconfig === undefined ? kubeconfigSecret : secretName
  const connection = {
    endpoints,
    ...(ref === undefined ? {} : { kubeconfigSecretRef: { name: ref } }),
    ...(inCluster === true ? { inCluster } : {}),
  }
  const object: ManagedClusterInput = {
    apiVersion: API_VERSION,
    kind: MANAGED_CLUSTERS.kind,
    metadata: { name, namespace: deps.namespace },
    spec: { ...known(spec), connection } as ManagedClusterInput['spec'],
  }
  const parsed = parseObject('ManagedCluster', object)
  if (parsed.ok) return parsed.value
  const [first] = parsed.errors
  const field = (first?.field ?? '').replace(/^spec\./, '')
  throw invalid(field, parsed.errors.map((one) => `${one.field.replace(/^spec\./, '')} ${one.message}`).join('; '))
}

const FIELDS = ['provider', 'nodeGroups', 'drain', 'nodeTimeout', 'healthChecks', 'pace', 'order'] as const

/** Whatever else the body has, was named in the `Warning` header. */
const known = (spec: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(FIELDS.filter((name) => spec[name] !== undefined).map((name) => [name, spec[name]]))

async function checkConnection(context: Stores, body: CreateClusterBody): Promise<void> {
  const { kubeconfig, kubeconfigSecret, inCluster } = body
  const ways = [kubeconfig !== undefined, kubeconfigSecret !== undefined, inCluster === true].filter(Boolean)
  if (ways.length !== 1)
    throw invalid('kubeconfig', 'exactly one of kubeconfig, kubeconfigSecret and inCluster: true says how to reach it')
  if (kubeconfig !== undefined) requireSafe(kubeconfig, 'kubeconfig')
  if (kubeconfigSecret !== undefined) requireSafe(await textOf(context, kubeconfigSecret), 'kubeconfigSecret')
}

function requireSafe(text: string, field: string): void {
  const refused = refuseKubeconfig(text)
  if (refused !== undefined) throw new ApiError('invalid_kubeconfig', { detail: refused, field })
}

/** Secrets of leased clusters, and whatever else the operator made, are nobody's to point at. */
async function textOf({ deps }: Stores, name: string): Promise<string> {
  const unusable = new ApiError('invalid_kubeconfig', {
    detail: `there is no Secret ${name.slice(0, 80)} with the key ${KUBECONFIG_KEY} that may be used here`,
    field: 'kubeconfigSecret',
  })
  const secret = await readObject(deps.client, SECRETS, { name, namespace: deps.namespace })
  const isOurs = secret?.metadata.labels?.[Label.managedBy] === OPERATOR_NAME
  const data = secret?.data?.[KUBECONFIG_KEY]
  if (data === undefined || isOurs || secret?.metadata.ownerReferences !== undefined) throw unusable
  return Buffer.from(data, 'base64').toString('utf8')
}

/** Before the cluster, so that the first look at it finds the way there. */
async function keep({ deps }: Stores, name: string, kubeconfig: string): Promise<Secret> {
  return await deps.client.create(SECRETS, {
    metadata: { name, namespace: deps.namespace, labels: { [Label.managedBy]: OPERATOR_NAME } },
    type: 'Opaque',
    data: { [KUBECONFIG_KEY]: Buffer.from(kubeconfig).toString('base64') },
  })
}

/** It goes with its cluster. */
async function own({ deps }: Stores, secret: Secret, { metadata }: ManagedCluster): Promise<void> {
  const { name = '', uid = '' } = metadata
  const owner = { apiVersion: API_VERSION, kind: MANAGED_CLUSTERS.kind, name, uid }
  const patch = fencedPatch(secret, { metadata: { ownerReferences: [owner] } })
  if (patch !== undefined) await deps.client.patch(SECRETS, refOf(secret), patch)
}

async function drop({ deps }: Stores, secret: Secret): Promise<void> {
  const { uid } = secret.metadata
  try {
    await deps.client.delete(SECRETS, refOf(secret), uid === undefined ? {} : { uid })
  } catch (error) {
    deps.log.error({ Secret: secret.metadata.name, err: error }, 'the kubeconfig of a cluster that was refused stays')
  }
}

function translated(error: unknown, name: string): unknown {
  if (isKubeError(error, 'AlreadyExists'))
    return new ApiError('cluster_exists', { detail: `There is a cluster ${name} already`, field: 'name' })
  return refusedByServer(error, 'cluster')
}
