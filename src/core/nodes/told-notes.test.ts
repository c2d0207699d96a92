import { expect, it } from 'vitest'
import { T0 } from '../testing/builders.ts'
import { aMember, type HeldOptions, heldNodes, type MemberOptions, upToDate } from '../testing/node-builders.ts'
import { planNodeOperation } from './plan-node-operation.ts'

const control = ['c1', 'c2', 'c3'].map((name) => aMember(name, upToDate))
const marked = { mark: 'boot-1', cordon: 'ours' as const }
const before = { name: 'w1', bootId: 'boot-1', before: { offering: 'v1' } }

it.each<[string, MemberOptions, HeldOptions, string]>([
  [
    'the end of a batch',
    { node: { bootId: 'boot-2' }, ...upToDate },
    { batch: ['w1'], holder: { batches: 2, done: 4 } },
    'BatchDone: batch 3 is over: 5 node(s) of the run are done',
  ],
  [
    'a node of the next batch that somebody else cordoned',
    { node: { cordon: 'foreign' } },
    {},
    'ForeignCordon: w1 was cordoned by somebody else: it is rolled, and stays cordoned',
  ],
  [
    'settings that are put back',
    { node: { ...marked, ready: false }, machine: { state: 'Stopped', settings: { offering: 'v2' } } },
    { batch: [{ ...before, restoring: true }] },
    'Restoring: w1: Restoring',
  ],
  ['that there was nothing to do', upToDate, {}, 'UpToDate: every node was up to date'],
])('a run tells %s', (_, w1, options, told) => {
  const members = [...control, aMember('w1', w1), aMember('w2', upToDate)]
  const { notes } = planNodeOperation(heldNodes(members, options), T0)
  expect(notes.map(({ reason, message }) => `${reason}: ${message}`)).toContain(told)
})
