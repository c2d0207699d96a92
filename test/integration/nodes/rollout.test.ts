import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type NodesWorld, startNodesWorld } from '../../support/nodes-world.ts'

describe('a rollout of settings', () => {
  let world: NodesWorld
  beforeAll(async () => {
    world = await startNodesWorld()
    await world.startOperator()
  })
  afterAll(() => world[Symbol.asyncDispose]())

  test('the scanner takes a new cluster to Running', async () => {
    await world.until('the cluster is Running', async () => (await world.cluster()).status?.state === 'Running')
    const { status } = await world.cluster()
    expect(status?.groups).toMatchObject([
      { name: 'control', nodes: 3, ready: 3, outOfDate: 0 },
      { name: 'workers', nodes: 5, ready: 5, outOfDate: 0 },
    ])
  })

  test('brings all workers to a new offering', async () => {
    await world.want('workers', { offering: 'large' })
    await world.begin('first', { maxUnavailable: 2 })
    const ended = await world.ended('first')
    expect(ended.status, world.log.join('\n')).toMatchObject({ phase: 'Succeeded' })
  })
})
