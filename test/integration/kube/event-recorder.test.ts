import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CONFIG_MAPS, type ConfigMap, EVENTS, NAMESPACES, NODES } from '../../../src/api/core-resources.ts'
import { systemClock } from '../../../src/kube/clock.ts'
import { createEventRecorder, type EventRecorder } from '../../../src/kube/event-recorder.ts'
import type { ClosableKubeClient } from '../../../src/kube/kube-client.ts'
import { HOST_KINDS, type HostUnderTest } from '../../support/host-under-test.ts'
import { hasKubectl, kubectl } from '../../support/run.ts'

describe.each(HOST_KINDS)('events on $name', ({ isMissing, start }) => {
  let host: HostUnderTest
  let client: ClosableKubeClient
  let recorder: EventRecorder
  let about: ConfigMap
  let directory: string

  beforeAll(async () => {
    if (isMissing) return
    host = await start()
    client = host.client()
    directory = mkdtempSync(join(tmpdir(), 'events-'))
    writeFileSync(join(directory, 'kubeconfig'), host.kubeconfig, { mode: 0o600 })
    await client.create(NAMESPACES, { metadata: { name: 'work' } })
    about = await client.create(CONFIG_MAPS, { metadata: { namespace: 'work', name: 'subject' } })
    recorder = createEventRecorder({ client, component: 'kobe-operator', instance: 'test-1', clock: systemClock })
    for (let n = 0; n < 3; n++) {
      recorder.record(about, { type: 'Warning', reason: 'MemberFailed', message: 'could not be made: disk full' })
      await recorder.flush()
    }
    const node = await client.create(NODES, { metadata: { name: 'node-1' } })
    recorder.record(node, { type: 'Normal', reason: 'Cordoned', message: 'cordoned, 1 of 3' })
    await recorder.flush()
  })
  afterAll(async () => {
    recorder?.close()
    await host?.stop()
    if (directory) rmSync(directory, { recursive: true })
  })

  it.skipIf(isMissing)('are found by the UID of their object, repetitions counted on one', async () => {
    const { items } = await client.list(EVENTS, { fieldSelector: `involvedObject.uid=${about.metadata.uid}` })
    expect(items).toMatchObject([{ reason: 'MemberFailed', count: 3, involvedObject: { kind: 'ConfigMap' } }])
  })

  it.skipIf(isMissing)('of a cluster-scoped object are found too', async () => {
    const { items } = await client.list(EVENTS, { fieldSelector: 'involvedObject.kind=Node' })
    expect(items.filter(({ reason }) => reason === 'Cordoned')).toHaveLength(1)
  })

  it.skipIf(isMissing || !hasKubectl)('are shown by kubectl describe and kubectl events', async () => {
    const kubeconfig = join(directory, 'kubeconfig')
    const described = await kubectl(kubeconfig, ['describe', 'configmap', 'subject', '-n', 'work'])
    expect(described).toMatch(
      /Warning\s+MemberFailed\s+.*\(x3 over .*\)\s+kobe-operator\s+could not be made: disk full/,
    )
    const events = await kubectl(kubeconfig, ['events', '-n', 'work', '--for', 'configmap/subject'])
    expect(events).toMatch(/Warning\s+MemberFailed\s+ConfigMap\/subject\s+could not be made: disk full/)
    expect(await kubectl(kubeconfig, ['describe', 'node', 'node-1'])).toMatch(/Normal\s+Cordoned\s+.*cordoned, 1 of 3/)
  })
})
