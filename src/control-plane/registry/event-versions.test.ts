import { describe, expect, it } from 'vitest'
import { fromCoreEvent, toCoreEvent } from './event-versions.ts'

const metadata = { name: 'e', uid: 'u', resourceVersion: '1', creationTimestamp: '' }

describe('events of the two groups', () => {
  it('carry the same facts under other names, and come back unchanged', () => {
    const core = {
      apiVersion: 'v1',
      kind: 'Event',
      metadata,
      involvedObject: { kind: 'Pod' },
      reason: 'Started',
      message: 'text',
      reportingComponent: 'kubelet',
      count: 2,
    }
    const other = fromCoreEvent(core)
    expect(other).toEqual({
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      metadata,
      regarding: { kind: 'Pod' },
      reason: 'Started',
      note: 'text',
      reportingController: 'kubelet',
      deprecatedCount: 2,
    })
    expect(toCoreEvent(other)).toEqual(core)
  })
})
