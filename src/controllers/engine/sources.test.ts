import { describe, expect, it } from 'vitest'
import { createMemoryKube } from '../../../test/support/memory-kube.ts'
import { CONFIG_MAPS, type ConfigMap } from '../../api/core-resources.ts'
import { createInformer } from '../../kube/informer.ts'
import { enqueueOnChange, ownerKeys } from './sources.ts'

const owner = (kind: string, name: string) => ({ apiVersion: 'v1', kind, name, uid: name })

const object = (name: string, ...owners: ReturnType<typeof owner>[]): ConfigMap => ({
  metadata: { namespace: 'n', name, ownerReferences: owners },
})

async function setUp(keysOf?: Parameters<typeof enqueueOnChange<ConfigMap>>[2]) {
  const kube = createMemoryKube()
  await kube.create(CONFIG_MAPS, object('first', owner('ClusterPool', 'ci')))
  const stopping = new AbortController()
  const informer = createInformer(kube, CONFIG_MAPS)
  const keys: string[] = []
  const end = enqueueOnChange(informer, { enqueue: (key) => keys.push(key) }, keysOf)
  await informer.start(stopping.signal)
  const stop = async (): Promise<void> => {
    stopping.abort()
    await informer.stopped()
  }
  return { kube, keys, end, stop }
}

describe('a source', () => {
  it('enqueues objects that are there, and those that change', async () => {
    const { kube, keys, stop } = await setUp()
    expect(keys).toEqual(['n/first'])
    await kube.create(CONFIG_MAPS, object('second'))
    await expect.poll(() => keys).toEqual(['n/first', 'n/second'])
    await stop()
  })

  it('enqueues the old and the new owner of an object that moved, of the asked kind only', async () => {
    const { kube, keys, stop } = await setUp(ownerKeys('ClusterPool'))
    expect(keys).toEqual(['n/ci'])
    const first = await kube.get(CONFIG_MAPS, { namespace: 'n', name: 'first' })
    const ownerReferences = [owner('Other', 'x'), owner('ClusterPool', 'big')]
    await kube.replace(CONFIG_MAPS, { ...first, metadata: { ...first.metadata, ownerReferences } })
    await expect.poll(() => keys).toEqual(['n/ci', 'n/big', 'n/ci'])
    await stop()
  })

  it('enqueues nothing after its end', async () => {
    const { kube, keys, end, stop } = await setUp()
    end()
    await kube.create(CONFIG_MAPS, object('second'))
    await new Promise((resolve) => setImmediate(resolve))
    expect(keys).toEqual(['n/first'])
    await stop()
  })
})
