/** The control plane of a vkobe member: API server, controller manager and syncer in one pod. */
import { type Block, labelsOf, type Manifest, metadataOf, selectorOf } from '../../render/manifest.ts'
import {
  API_PORT,
  CERTIFICATES_DIR,
  CONFIG_DIR,
  DEFAULT_SERVICE_CIDR,
  GUEST_USER,
  guestNamespace,
  imageTag,
  RESTRICTED,
  STORE_TLS_DIR,
  VKOBE_ROLE,
  type VkobeInput,
  vkobeOptions,
} from './input.ts'

export function vkobeDeployment(input: VkobeInput): Manifest {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: metadataOf(input, 'vkobe', VKOBE_ROLE),
    spec: {
      replicas: 1,
      // Two syncers of one member would write against each other.
      strategy: { type: 'Recreate' },
      selector: { matchLabels: selectorOf(input, VKOBE_ROLE) },
      template: {
        metadata: { labels: labelsOf(input, VKOBE_ROLE) },
        spec: {
          serviceAccountName: `${input.name}-vkobe`,
          automountServiceAccountToken: false,
          enableServiceLinks: false,
          // Lets the user of the containers read the mounted Secrets, and nobody else.
          securityContext: { fsGroup: GUEST_USER },
          containers: [apiServer(input), controllerManager(input), syncer(input)],
          volumes: volumes(input),
        },
      },
    },
  }
}

const certificate = (file: string): string => `${CERTIFICATES_DIR}/${file}`
const certificatesMount: Block = { name: 'certificates', mountPath: CERTIFICATES_DIR, readOnly: true }
const storeMounts = ({ store }: VkobeInput): Block[] =>
  store.tls ? [{ name: 'store-tls', mountPath: STORE_TLS_DIR, readOnly: true }] : []

function apiServer(input: VkobeInput): Block {
  const { version } = vkobeOptions(input)
  return {
    name: 'kube-apiserver',
    image: `registry.k8s.io/kube-apiserver:${imageTag(version)}`,
    command: ['kube-apiserver'],
    args: [...storeArgs(input), ...apiServerArgs(input), ...input.cluster.serverArgs],
    ...(input.resources === undefined ? {} : { resources: input.resources }),
    ports: [{ name: 'api', containerPort: API_PORT }],
    readinessProbe: { httpGet: { scheme: 'HTTPS', path: '/readyz', port: API_PORT }, periodSeconds: 5 },
    livenessProbe: {
      httpGet: { scheme: 'HTTPS', path: '/livez', port: API_PORT },
      initialDelaySeconds: 30,
      periodSeconds: 10,
    },
    securityContext: RESTRICTED,
    volumeMounts: [certificatesMount, ...storeMounts(input)],
  }
}

/** Each member has a prefix of its own in the store. */
function storeArgs({ name, store }: VkobeInput): string[] {
  const tls = store.tls
    ? [
        `--etcd-cafile=${STORE_TLS_DIR}/ca.crt`,
        `--etcd-certfile=${STORE_TLS_DIR}/tls.crt`,
        `--etcd-keyfile=${STORE_TLS_DIR}/tls.key`,
      ]
    : []
  return [`--etcd-servers=${store.endpoints.join(',')}`, `--etcd-prefix=/kobe/${name}/`, ...tls]
}

const apiServerArgs = ({ serviceCidr = DEFAULT_SERVICE_CIDR }: VkobeInput): string[] => [
  `--secure-port=${API_PORT}`,
  `--service-cluster-ip-range=${serviceCidr}`,
  '--authorization-mode=Node,RBAC',
  '--anonymous-auth=true',
  `--client-ca-file=${certificate('ca.crt')}`,
  `--tls-cert-file=${certificate('apiserver.crt')}`,
  `--tls-private-key-file=${certificate('apiserver.key')}`,
  `--requestheader-client-ca-file=${certificate('front-proxy-ca.crt')}`,
  '--requestheader-allowed-names=front-proxy-client',
  '--requestheader-username-headers=X-Remote-User',
  '--requestheader-group-headers=X-Remote-Group',
  '--requestheader-extra-headers-prefix=X-Remote-Extra-',
  '--service-account-issuer=https://kubernetes.default.svc',
  `--service-account-key-file=${certificate('sa.pub')}`,
  `--service-account-signing-key-file=${certificate('sa.key')}`,
]

function controllerManager(input: VkobeInput): Block {
  const { version, controllers } = vkobeOptions(input)
  return {
    name: 'kube-controller-manager',
    image: `registry.k8s.io/kube-controller-manager:${imageTag(version)}`,
    command: ['kube-controller-manager'],
    args: [
      `--kubeconfig=${certificate('controller-manager.conf')}`,
      `--controllers=${controllers.join(',')}`,
      '--use-service-account-credentials=true',
      '--leader-elect=false',
      `--root-ca-file=${certificate('ca.crt')}`,
      `--service-account-private-key-file=${certificate('sa.key')}`,
    ],
    securityContext: RESTRICTED,
    volumeMounts: [certificatesMount],
  }
}

/** The only container that holds a credential of the host: one of its own, for its guest namespace. */
function syncer(input: VkobeInput): Block {
  const { proxyPort, metricsPort } = vkobeOptions(input)
  return {
    name: 'vkobe',
    image: input.syncImage,
    args: [`--config=${CONFIG_DIR}/config.json`],
    ports: [
      { name: 'proxy', containerPort: proxyPort },
      { name: 'metrics', containerPort: metricsPort },
    ],
    readinessProbe: { tcpSocket: { port: proxyPort }, periodSeconds: 5 },
    securityContext: RESTRICTED,
    volumeMounts: [
      certificatesMount,
      { name: 'config', mountPath: CONFIG_DIR, readOnly: true },
      { name: 'host-token', mountPath: '/var/run/secrets/kubernetes.io/serviceaccount', readOnly: true },
    ],
  }
}

function volumes(input: VkobeInput): Block[] {
  const { name, store } = input
  return [
    { name: 'certificates', secret: { secretName: `${name}-certs`, defaultMode: 0o440 } },
    { name: 'config', configMap: { name: `${name}-config` } },
    ...(store.tls ? [{ name: 'store-tls', secret: { secretName: `${name}-store`, defaultMode: 0o440 } }] : []),
    {
      name: 'host-token',
      projected: {
        sources: [
          { serviceAccountToken: { path: 'token', expirationSeconds: 3600 } },
          { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
        ],
      },
    },
  ]
}

export function vkobeConfigMap(input: VkobeInput): Manifest {
  const { syncers, proxyPort, metricsPort } = vkobeOptions(input)
  const config = {
    name: input.name,
    guestNamespace: guestNamespace(input),
    apiServer: `https://127.0.0.1:${API_PORT}`,
    certificates: CERTIFICATES_DIR,
    syncers,
    proxyPort,
    metricsPort,
  }
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: metadataOf(input, 'config'),
    data: { 'config.json': JSON.stringify(config) },
  }
}

export function vkobeService(input: VkobeInput): Manifest {
  const { exposeType = 'ClusterIP', nodePort } = input.cluster.expose ?? {}
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: metadataOf(input, 'api', VKOBE_ROLE),
    spec: {
      type: exposeType,
      selector: selectorOf(input, VKOBE_ROLE),
      ports: [{ name: 'api', port: 443, targetPort: 'proxy', ...(nodePort === undefined ? {} : { nodePort }) }],
    },
  }
}
