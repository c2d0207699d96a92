/** Power of simulated Nodes, by the annotations that the simulated kubelet obeys. */
import type { KubeClient } from '../../kube/client.ts'
import { isKubeError } from '../../kube/errors.ts'
import { annotationOf, NODE_ANNOTATIONS } from '../../simulated-world/annotations.ts'
import { NODES } from '../../simulated-world/kinds.ts'
import { renderNode } from '../../simulated-world/node-spec.ts'
import type { MachineRecord } from '../machine-life.ts'

/** It was told to, and has not done it yet. */
export const NOT_YET = 'not yet'

export interface NodePower {
  off(node: string): Promise<typeof NOT_YET | undefined>
  /** Makes the Node when there is none. */
  on(node: string, how: { readonly neverReady: boolean; readonly machine: MachineRecord }): Promise<void>
  remove(node: string): Promise<void>
}

export function createNodePower(client: KubeClient): NodePower {
  const annotate = (node: string, annotations: Readonly<Record<string, string | null>>) =>
    client.patch(NODES, { name: node }, { type: 'merge', body: { metadata: { annotations } } })
  return {
    off: (node) =>
      unlessGone(async () => {
        const present = await client.get(NODES, { name: node })
        if (annotationOf(present, NODE_ANNOTATIONS.power) !== 'off') {
          await annotate(node, { [NODE_ANNOTATIONS.power]: 'off' })
          return NOT_YET
        }
        // Power back on before the kubelet saw that it was off would be no reboot.
        return annotationOf(present, NODE_ANNOTATIONS.machine) === 'stopped' ? undefined : NOT_YET
      }),
    async on(node, { neverReady, machine }) {
      const annotations = { [NODE_ANNOTATIONS.power]: 'on', [NODE_ANNOTATIONS.neverReady]: neverReady ? 'true' : null }
      const present = await unlessGone(() => annotate(node, annotations))
      if (present === undefined) await client.create(NODES, renderNode(specOf(node, machine)))
    },
    async remove(node) {
      await unlessGone(() => client.delete(NODES, { name: node }))
    },
  }
}

function specOf(name: string, { type, zone, version }: MachineRecord) {
  return {
    name,
    labels: type === 'control' ? { 'node-role.kubernetes.io/control-plane': '' } : {},
    ...(zone === undefined ? {} : { zone }),
    ...(version === undefined ? {} : { kubeletVersion: version }),
  }
}

async function unlessGone<T>(call: () => Promise<T>): Promise<T | undefined> {
  try {
    return await call()
  } catch (error) {
    if (isKubeError(error, 'NotFound')) return undefined
    throw error
  }
}
