/** Volumes of the pods of a k3s member, each with where it is mounted. */
import type { Block } from '../../render/manifest.ts'
import { hasMirrors, type K3sInput, TOKEN_DIR } from './input.ts'

interface Mounted {
  readonly mount: Block
  /** Absent: the volume comes from a claim template. */
  readonly volume?: Block
}

export interface PodVolumes {
  readonly volumeMounts: readonly Block[]
  readonly volumes: readonly Block[]
}

export const DATA_DIR = '/var/lib/rancher/k3s'
/** Where the init container finds the authorities it installs. */
export const AUTHORITIES_DIR = '/etc/kobe/authorities'
const DEFAULT_HOST_ROOT = '/var/lib/kobe/leases'
const DEFAULT_CLAIM_SIZE = '10Gi'

export const serverVolumes = (input: K3sInput): PodVolumes =>
  collect([token(input), nodePassword(input), data(input), ...registries(input), ...kubelet(input, 'server')])

export const agentVolumes = (input: K3sInput): PodVolumes =>
  collect([token(input), nodePassword(input), ...registries(input), ...kubelet(input, 'agents')])

export const authoritiesVolume = ({ name }: K3sInput): Block => ({
  name: 'authorities',
  secret: { secretName: `${name}-authorities`, defaultMode: 0o400 },
})

/** Absent: the data of the control plane lives as long as its pod. */
export function dataClaim({ cluster }: K3sInput): Block | undefined {
  const { persistence } = cluster
  if (persistence === undefined || persistence.storageType === 'emptyDir') return undefined
  const { storageClassName, storageRequestSize } = persistence
  return {
    metadata: { name: 'data' },
    spec: {
      accessModes: ['ReadWriteOnce'],
      ...(storageClassName === undefined ? {} : { storageClassName }),
      resources: { requests: { storage: storageRequestSize ?? DEFAULT_CLAIM_SIZE } },
    },
  }
}

const collect = (all: readonly Mounted[]): PodVolumes => ({
  volumeMounts: all.map(({ mount }) => mount),
  volumes: all.flatMap(({ volume }) => (volume === undefined ? [] : [volume])),
})

const token = ({ name }: K3sInput): Mounted => ({
  mount: { name: 'token', mountPath: TOKEN_DIR, readOnly: true },
  volume: {
    name: 'token',
    secret: { secretName: `${name}-token`, items: [{ key: 'token', path: 'token' }], defaultMode: 0o400 },
  },
})

/** k3s knows a node again by it; made anew with each pod, a restarted node would be refused. */
const nodePassword = ({ name }: K3sInput): Mounted => ({
  mount: { name: 'node-password', mountPath: '/etc/rancher/node/password', subPath: 'password', readOnly: true },
  volume: {
    name: 'node-password',
    secret: { secretName: `${name}-token`, items: [{ key: 'node-password', path: 'password' }], defaultMode: 0o400 },
  },
})

function data(input: K3sInput): Mounted {
  const mount = { name: 'data', mountPath: DATA_DIR }
  return dataClaim(input) === undefined ? { mount, volume: { name: 'data', emptyDir: {} } } : { mount }
}

function registries(input: K3sInput): Mounted[] {
  if (!hasMirrors(input)) return []
  const mountPath = '/etc/rancher/k3s/registries.yaml'
  return [
    {
      mount: { name: 'registries', mountPath, subPath: 'registries.yaml', readOnly: true },
      volume: { name: 'registries', configMap: { name: `${input.name}-registries` } },
    },
  ]
}

/** For storage drivers in the member: what they mount has to be seen by the host, each pod in a folder of its own. */
function kubelet({ name, cluster }: K3sInput, who: 'server' | 'agents'): Mounted[] {
  const shared = cluster.kubeletSharedMount
  if (shared === undefined || !shared[who]) return []
  const root = shared.hostPathRoot || DEFAULT_HOST_ROOT
  return [
    {
      mount: {
        name: 'kubelet-root',
        mountPath: '/var/lib/kubelet',
        mountPropagation: 'Bidirectional',
        subPathExpr: '$(POD_NAME)',
      },
      volume: { name: 'kubelet-root', hostPath: { path: `${root}/${name}/kubelets`, type: 'DirectoryOrCreate' } },
    },
  ]
}

/** What `subPathExpr` of the shared kubelet directory is filled from. */
export const podNameEnv = ({ cluster }: K3sInput, who: 'server' | 'agents'): Block[] =>
  cluster.kubeletSharedMount?.[who]
    ? [{ name: 'POD_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }]
    : []
