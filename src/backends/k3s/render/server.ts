/** The servers of a k3s member: StatefulSet, Service, disruption budget. */
import { type Block, labelsOf, type Manifest, metadataOf, selectorOf } from '../../render/manifest.ts'
import {
  DEFAULT_NETWORK,
  K3S_ROLES,
  type K3sInput,
  k3sImage,
  NO_HOST_CREDENTIALS,
  PRIVILEGED,
  serverFqdn,
  serverHost,
  TOKEN_DIR,
  usesDatastore,
} from './input.ts'
import { serverPlacement } from './placement.ts'
import { AUTHORITIES_DIR, authoritiesVolume, DATA_DIR, dataClaim, podNameEnv, serverVolumes } from './volumes.ts'

const API_PORT = 6443

export function serverStatefulSet(input: K3sInput): Manifest {
  const claim = dataClaim(input)
  return {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: metadataOf(input, 'server', K3S_ROLES.server),
    spec: {
      replicas: input.cluster.servers,
      serviceName: `${input.name}-server`,
      podManagementPolicy: 'OrderedReady',
      selector: { matchLabels: selectorOf(input, K3S_ROLES.server) },
      template: { metadata: { labels: labelsOf(input, K3S_ROLES.server) }, spec: serverPod(input) },
      ...(claim === undefined ? {} : { volumeClaimTemplates: [claim] }),
    },
  }
}

function serverPod(input: K3sInput): Block {
  const { volumes, volumeMounts } = serverVolumes(input)
  return {
    ...NO_HOST_CREDENTIALS,
    ...serverPlacement(input),
    initContainers: [installAuthorities(input)],
    containers: [
      {
        name: 'k3s-server',
        image: k3sImage(input),
        command: ['k3s'],
        args: serverArgs(input),
        env: [...podNameEnv(input, 'server'), ...datastoreEnv(input)],
        ports: [{ name: 'api', containerPort: API_PORT }],
        ...(input.resources === undefined ? {} : { resources: input.resources }),
        readinessProbe: { tcpSocket: { port: API_PORT }, initialDelaySeconds: 10, periodSeconds: 5 },
        livenessProbe: {
          httpGet: { scheme: 'HTTPS', path: '/cacerts', port: API_PORT },
          initialDelaySeconds: 30,
          periodSeconds: 10,
        },
        securityContext: PRIVILEGED,
        volumeMounts,
      },
    ],
    volumes: [...volumes, authoritiesVolume(input)],
  }
}

/** k3s takes over authorities it finds at its first start; its folder must be writable, so they are copied. */
function installAuthorities(input: K3sInput): Block {
  const target = `${DATA_DIR}/server/tls`
  return {
    name: 'install-authorities',
    image: k3sImage(input),
    command: ['sh', '-c', `mkdir -p ${target} && cp -n ${AUTHORITIES_DIR}/* ${target}/`],
    volumeMounts: [
      { name: 'authorities', mountPath: AUTHORITIES_DIR, readOnly: true },
      { name: 'data', mountPath: DATA_DIR },
    ],
  }
}

function serverArgs(input: K3sInput): string[] {
  const { serviceCidr, clusterCidr } = input.network ?? DEFAULT_NETWORK
  const { taints = [], serverArgs: extra } = input.cluster
  return [
    'server',
    `--tls-san=${serverHost(input)}`,
    `--tls-san=${serverFqdn(input)}`,
    `--token-file=${TOKEN_DIR}/token`,
    '--write-kubeconfig-mode=600',
    `--service-cidr=${serviceCidr}`,
    `--cluster-cidr=${clusterCidr}`,
    ...taints.map(({ key, value = '', effect }) => `--node-taint=${key}=${value}:${effect}`),
    ...extra,
  ]
}

/** The URL holds a password: a command line can be read by everybody on the node, a variable from a Secret cannot. */
const datastoreEnv = (input: K3sInput): Block[] =>
  usesDatastore(input)
    ? [
        {
          name: 'K3S_DATASTORE_ENDPOINT',
          valueFrom: { secretKeyRef: { name: `${input.name}-datastore`, key: 'endpoint' } },
        },
      ]
    : []

export function serverService(input: K3sInput): Manifest {
  const { exposeType = 'ClusterIP', nodePort } = input.cluster.expose ?? {}
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: metadataOf(input, 'server', K3S_ROLES.server),
    spec: {
      type: exposeType,
      selector: selectorOf(input, K3S_ROLES.server),
      ports: [{ name: 'api', port: API_PORT, targetPort: 'api', ...(nodePort === undefined ? {} : { nodePort }) }],
    },
  }
}

/** One server may be away at a time. Undefined for a single server: its node could never be drained. */
export function serverDisruptionBudget(input: K3sInput): Manifest | undefined {
  const { servers } = input.cluster
  if (servers <= 1) return undefined
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: metadataOf(input, 'server', K3S_ROLES.server),
    spec: {
      minAvailable: servers >= 3 ? servers - 1 : 1,
      selector: { matchLabels: selectorOf(input, K3S_ROLES.server) },
    },
  }
}
