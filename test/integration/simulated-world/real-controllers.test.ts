import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createKubeClient } from '../../../src/kube/kube-client.ts'
import { missingControllers } from '../../../src/simulated-world/missing-controllers.ts'
import { NODES_ONLY } from '../../../src/simulated-world/world.ts'
import { hasControllerManager, type RealPair, startRealPair } from '../../support/real-pair.ts'
import { hasKubectl } from '../../support/run.ts'
import { daemonSet, deployment, statefulSet } from './manifests.ts'
import { isPodReady, type Sim, startSim } from './sim.ts'

const missing = hasControllerManager ? '' : ' (skipped: run `npm run assets`)'

describe.skipIf(!hasControllerManager || !hasKubectl)(
  `scheduler and kubelets beside a real kube-apiserver and kube-controller-manager${missing}`,
  () => {
    let real: RealPair
    let sim: Sim
    beforeAll(async () => {
      real = await startRealPair({ controllers: '*' })
      const kubeconfig = await readFile(real.kubeconfigPath, 'utf8')
      const client = createKubeClient({ kubeconfig })
      sim = await startSim({ kubeconfig, client: () => client }, { nodes: 3, controllers: NODES_ONLY })
      await sim.kubectl('wait', '--for=condition=Ready', 'node', '--all', '--timeout=20s')
    }, 120_000)
    afterAll(async () => {
      await sim?.[Symbol.asyncDispose]()
      await real?.stop()
      expect(sim?.errors ?? []).toEqual([])
    })

    it('the real controllers are seen, so that only nodes are simulated', async () => {
      expect(await missingControllers(sim.client, Date.now())).toEqual(NODES_ONLY)
    })

    it('real workload controllers get their pods scheduled, started and ended', async () => {
      await sim.apply(deployment('web', 4), statefulSet('db', 2), daemonSet('agent'))
      for (const what of ['deployment/web', 'statefulset/db', 'daemonset/agent']) {
        await sim.kubectl('rollout', 'status', what, '--timeout=40s')
      }
      await sim.kubectl('set', 'image', 'deployment/web', 'main=web:2')
      await sim.kubectl('rollout', 'status', 'deployment/web', '--timeout=40s')
      await sim.kubectl('create', 'job', 'once', '--image=work:1')
      await sim.kubectl('wait', '--for=condition=Complete', 'job/once', '--timeout=20s')
      await sim.until('daemons on all nodes', async () => (await sim.pods('app=agent')).every(isPodReady))
    })

    it('a drain moves the pods, and a power failure gives a new boot ID', async () => {
      await sim.kubectl('drain', 'sim-1', '--ignore-daemonsets', '--timeout=40s')
      await sim.kubectl('rollout', 'status', 'deployment/web', '--timeout=40s')
      const pods = await sim.pods('app in (web, db)')
      expect(pods.some((pod) => pod.spec.nodeName === 'sim-1')).toBe(false)
      await sim.kubectl('uncordon', 'sim-1')

      const bootId = (await sim.get('node', 'sim-1')).status.nodeInfo.bootID
      await sim.kubectl('annotate', 'node', 'sim-1', 'sim.kobe.kunobi.ninja/power=off')
      await sim.until('a machine that is off', async () => {
        const { metadata } = await sim.get('node', 'sim-1')
        return metadata.annotations['sim.kobe.kunobi.ninja/machine'] === 'stopped'
      })
      await sim.kubectl('annotate', 'node', 'sim-1', '--overwrite', 'sim.kobe.kunobi.ninja/power=on')
      await sim.until('another boot ID', async () => {
        const { status } = await sim.get('node', 'sim-1')
        return status.nodeInfo.bootID !== bootId
      })
      await sim.kubectl('wait', '--for=condition=Ready', 'node/sim-1', '--timeout=20s')
    })
  },
)
