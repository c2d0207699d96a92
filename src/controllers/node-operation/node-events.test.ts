import { expect, it } from 'vitest'
import { NodeReason } from '../../api/v1alpha1/node-reasons.ts'
import { aboutNode, note } from '../../core/nodes/step.ts'
import type { EventRecorder } from '../../kube/event-recorder.ts'
import { type NodeEventTargets, recordNodeEvents } from './node-events.ts'

function recorderTo(events: string[]): EventRecorder {
  return {
    record: ({ kind, metadata }, { type, reason, message }) =>
      events.push(`${kind} ${metadata.name} ${metadata.uid}: ${type} ${reason} ${message}`),
    flush: async () => undefined,
    close: () => undefined,
  }
}

it('ends of nodes stand at the Node, failures at the operation as well, steps nowhere', () => {
  const host: string[] = []
  const guest: string[] = []
  const node = { metadata: { name: 'w1', uid: 'node-uid' } }
  const nodes = { get: (_: unknown, name: string) => (name === 'w1' ? node : undefined) }
  const targets = {
    operation: { kind: 'NodeOperation', metadata: { name: 'run', namespace: 'kobe-system', uid: 'run-uid' }, spec: {} },
    recorder: recorderTo(host),
    session: { nodes, recorder: recorderTo(guest) },
  } as unknown as NodeEventTargets
  const notes = [
    note(NodeReason.Stopping, 'w1: Stopping', 'Info', aboutNode('w1')),
    note(NodeReason.Verifying, 'w1: waits', 'Debug', aboutNode('w1')),
    note(NodeReason.NodeDone, 'w1 is done', 'Info', aboutNode('w1')),
    note(NodeReason.DrainFailed, 'w1: drain: no', 'Warning', aboutNode('w1')),
    note(NodeReason.StartFailed, 'etcd-1: no room', 'Warning', aboutNode('etcd-1')),
    note(NodeReason.BatchDone, 'batch 1 is over'),
  ]
  recordNodeEvents(targets, notes)
  expect(guest).toEqual([
    'Node w1 node-uid: Normal NodeDone NodeOperation kobe-system/run: w1 is done',
    'Node w1 node-uid: Warning DrainFailed NodeOperation kobe-system/run: w1: drain: no',
  ])
  expect(host).toEqual([
    'NodeOperation run run-uid: Warning DrainFailed w1: drain: no',
    'NodeOperation run run-uid: Warning StartFailed etcd-1: no room',
  ])
  recordNodeEvents({ ...targets, session: undefined }, notes)
  expect(guest).toHaveLength(2)
})
