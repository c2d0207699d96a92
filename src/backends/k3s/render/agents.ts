/** The agents of a k3s member: a Deployment, when there are any. */
import { type Block, labelsOf, type Manifest, metadataOf, selectorOf } from '../../render/manifest.ts'
import {
  agentsOf,
  K3S_ROLES,
  type K3sInput,
  k3sImage,
  NO_HOST_CREDENTIALS,
  PRIVILEGED,
  serverFqdn,
  TOKEN_DIR,
} from './input.ts'
import { agentPlacement } from './placement.ts'
import { agentVolumes, podNameEnv } from './volumes.ts'

export function agentDeployment(input: K3sInput): Manifest | undefined {
  const replicas = agentsOf(input)
  if (replicas === 0) return undefined
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: metadataOf(input, 'agent', K3S_ROLES.agent),
    spec: {
      replicas,
      selector: { matchLabels: selectorOf(input, K3S_ROLES.agent) },
      template: { metadata: { labels: labelsOf(input, K3S_ROLES.agent) }, spec: agentPod(input) },
    },
  }
}

function agentPod(input: K3sInput): Block {
  const { volumes, volumeMounts } = agentVolumes(input)
  const { taints = [] } = input.cluster
  return {
    ...NO_HOST_CREDENTIALS,
    ...agentPlacement(input),
    containers: [
      {
        name: 'k3s-agent',
        image: k3sImage(input),
        command: ['k3s'],
        args: [
          'agent',
          `--server=https://${serverFqdn(input)}:6443`,
          `--token-file=${TOKEN_DIR}/token`,
          ...taints.map(({ key, value = '', effect }) => `--node-taint=${key}=${value}:${effect}`),
        ],
        env: podNameEnv(input, 'agents'),
        securityContext: PRIVILEGED,
        volumeMounts,
      },
    ],
    volumes,
  }
}
