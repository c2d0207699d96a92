import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type SimulatedWorld, startSimulatedWorld } from '../../src/simulated-world/world.ts'
import { nodeOf, playSample, SAMPLE_OWNER, sampleCells } from './drain-sample.ts'
import { HOST_KINDS, type HostUnderTest } from './host-under-test.ts'
import { hasKubectl } from './run.ts'

/** Cells that are played at a time: most of one is waiting. */
const AT_ONCE = 10

export function drainSample(count: number): void {
  describe.skipIf(!hasKubectl || count === 0)(`${count} cells of the drain grid beside kubectl drain`, () => {
    const cells = sampleCells(count)
    let host: HostUnderTest
    let world: SimulatedWorld
    let dir: string
    beforeAll(async () => {
      host = await HOST_KINDS[0]!.start()
      dir = await mkdtemp(join(tmpdir(), 'kobe-drain-'))
      await writeFile(join(dir, 'kubeconfig'), host.kubeconfig, { mode: 0o600 })
      await host.client().create(...SAMPLE_OWNER)
      const nodes = cells.flatMap((cell) =>
        (['kubectl', 'kobe'] as const).map((side) => ({
          name: nodeOf(cell, side),
          staticPods: cell.kind === 'mirror' ? ['static'] : [],
        })),
      )
      const timings = { startDelayMs: 20, readyDelayMs: 20, stopDelayMs: 30, runForMs: 30, nodeGraceMs: 600_000 }
      world = await startSimulatedWorld({ client: host.client(), nodes, timings })
    })
    afterAll(async () => {
      await world?.stop()
      await host?.stop()
      await rm(dir, { recursive: true, force: true })
    })

    test('both leave the same pods, and agree on whether the node is drained', { timeout: 400_000 }, async () => {
      const client = host.client()
      const left = [...cells]
      const different: string[] = []
      let drained = 0
      const play = async (): Promise<void> => {
        for (let cell = left.shift(); cell !== undefined; cell = left.shift()) {
          const { kubectl, kobe, told } = await playSample(client, join(dir, 'kubeconfig'), cell)
          if (kobe.drained) drained += 1
          if (JSON.stringify(kubectl) === JSON.stringify(kobe)) continue
          different.push(`${JSON.stringify(cell)}: ${JSON.stringify({ kubectl, kobe })}\n${told}`)
        }
      }
      await Promise.all(Array.from({ length: AT_ONCE }, play))
      expect(different).toEqual([])
      // Both ends occur.
      expect(drained).toBeGreaterThan(0)
      expect(drained).toBeLessThan(count)
    })
  })
}
