import { describe, expect, it } from 'vitest'
import type { BatchNode } from '../../api/v1alpha1/managed-cluster.ts'
import { MINUTE, T0 } from '../testing/builders.ts'
import {
  aMember,
  type HeldOptions,
  healthyEtcd,
  heldNodes,
  type MemberOptions,
  stopped,
  upToDate,
} from '../testing/node-builders.ts'
import type { NodeAction } from './action.ts'
import type { Member } from './model.ts'
import { planNodeOperation } from './plan-node-operation.ts'

const control = ['c1', 'c2', 'c3'].map((name) => aMember(name, upToDate))
const rest = [...control, aMember('w8', upToDate), aMember('w9', upToDate)]

const plan = (members: readonly Member[], options: HeldOptions, now = T0) =>
  planNodeOperation(heldNodes(members, options), now)

/** What the plan does, in words. */
function told(actions: readonly NodeAction[]): string[] {
  return actions.map((action) => {
    if (action.kind !== 'SetCluster') return 'node' in action ? `${action.kind} ${action.node}` : action.kind
    const { operation } = action.status
    const nodes = (operation?.batch?.nodes ?? []).map(({ name, failed, restoring, skipped }) =>
      [
        name,
        failed?.reason,
        restoring === true ? 'restoring' : undefined,
        skipped === undefined ? undefined : 'skipped',
      ]
        .filter((part) => part !== undefined)
        .join(' '),
    )
    const outcome = operation?.outcome
    return `remember [${nodes.join(', ')}]${outcome === undefined ? '' : ` ${outcome.phase} ${outcome.reason}`}`
  })
}

const next = (over: MemberOptions, entry: string | BatchNode = 'w1', options: HeldOptions = {}): string[] =>
  told(plan([...rest, aMember('w1', over)], { batch: [entry], ...options }).actions)

const marked = { mark: 'boot-1' }
const ours = { ...marked, cordon: 'ours' as const }
const drained = { outcome: 'Drained' as const, message: '' }
const back = { settings: { offering: 'v2', rootDiskSizeGB: 20 } }

describe('C18, C20, C21, C22: the steps of a node, in order', () => {
  it.each<[string, MemberOptions, string]>([
    ['C18: first the mark', {}, 'MarkNode w1'],
    ['C18: then the cordon', { node: marked }, 'CordonNode w1'],
    ['C18: a mark of an older boot is written anew', { node: { mark: 'boot-0', cordon: 'ours' } }, 'MarkNode w1'],
    ['C20: then the drain', { node: ours }, 'DrainNode w1'],
    ['C20: for as long as it takes', { node: ours, drain: { outcome: 'InProgress', message: '' } }, 'DrainNode w1'],
    ['C21: then it is stopped', { node: ours, drain: drained }, 'StopMachine w1'],
    ['C21: then it is changed', { node: { ...ours, ready: false }, machine: { state: 'Stopped' } }, 'ApplySettings w1'],
    [
      'C21: and started',
      { node: { ...ours, ready: false }, machine: { state: 'Stopped', ...back } },
      'StartMachine w1',
    ],
    [
      'C22: Ready with a new boot ID: put back in use',
      { node: { ...ours, bootId: 'boot-2' }, machine: back },
      'ReleaseNode w1',
    ],
    ['C22: and it is through', { node: { bootId: 'boot-2' }, machine: back }, 'remember []'],
  ])('%s', (_name, over, action) => {
    expect(next(over)).toEqual([action])
  })

  it('C20: somebody uncordons it in the meantime: it is cordoned again before it is stopped', () => {
    expect(next({ node: marked, drain: drained })).toEqual(['CordonNode w1'])
  })

  it.each<[string, MemberOptions]>([
    ['C22: a Ready with the boot ID of before is none', { node: ours, machine: back }],
    [
      'C22: a new boot ID without Ready is not enough',
      { node: { ...ours, bootId: 'boot-2', ready: false }, machine: back },
    ],
    ['a machine that is stopping is waited for', { node: ours, machine: { state: 'Stopping' } }],
    ['a machine that is starting is waited for', { node: ours, machine: { state: 'Starting', ...back } }],
    ['a machine that is not shown is waited for', { node: ours, machine: null }],
  ])('%s', (_name, over) => {
    expect(next(over)).toEqual([])
  })

  it('C22: it came back and still differs: that is a failure', () => {
    expect(next({ node: { ...ours, bootId: 'boot-2' } })).toEqual(['remember [w1 SettingsNotTaken]'])
  })

  it('C22: a control node has to have a healthy etcd as well', () => {
    const c1 = aMember('c1', { node: { ...ours, bootId: 'boot-2' }, machine: back })
    const others = rest.filter(({ name }) => name !== 'c1')
    const etcd = {
      ready: true,
      members: ['c1', 'c2', 'c3'].map((name) => ({
        name,
        machineId: `m-${name}`,
        healthy: name !== 'c1',
        voter: true,
      })),
    }
    expect(told(plan([c1, ...others], { batch: ['c1'], over: { etcd } }).actions)).toEqual([])
    expect(told(plan([c1, ...others], { batch: ['c1'] }).actions)).toEqual(['ReleaseNode c1'])
  })

  it('C21: what is applied is what the group wants, when the run began', () => {
    const holder = { wanted: [{ name: 'worker', settings: { offering: 'v2', rootDiskSizeGB: 40, image: 'i' } }] }
    const { actions } = plan(
      [...rest, aMember('w1', { node: { ...ours, ready: false }, machine: { state: 'Stopped' } })],
      {
        batch: ['w1'],
        holder,
      },
    )
    expect(actions[0]).toMatchObject({ kind: 'ApplySettings', settings: { offering: 'v2', rootDiskSizeGB: 40 } })
    expect(actions[0]).not.toHaveProperty('settings.image')
  })

  it('a stopped node is marked and cordoned before it is started: nothing may be put on it yet', () => {
    expect(next(stopped)).toEqual(['MarkNode w1'])
    expect(next({ ...stopped, node: { ready: false, ...marked } })).toEqual(['CordonNode w1'])
  })

  it('a node that came back and went down again has to show yet another boot ID', () => {
    const over = { node: { ...ours, bootId: 'boot-2', ready: false }, machine: { state: 'Stopped' as const, ...back } }
    const { actions } = plan([...rest, aMember('w1', over)], { batch: ['w1'] })
    expect(actions[0]).toMatchObject({
      status: { operation: { batch: { nodes: [{ name: 'w1', bootId: 'boot-2' }] } } },
    })
  })
})

describe('C19: a node that somebody else cordoned', () => {
  const foreign = { cordon: 'foreign' as const }
  it.each<[string, MemberOptions, string[]]>([
    ['C19: gets no mark and is drained', { node: foreign }, ['DrainNode w1']],
    ['C19: is stopped', { node: foreign, drain: drained }, ['StopMachine w1']],
    ['C19: gives back a mark that was written before', { node: { ...foreign, ...marked } }, ['ReleaseNode w1']],
    ['C19: a stale Ready is not taken for a restart', { node: foreign, machine: back }, []],
    ['C19: is through, and stays cordoned', { node: { ...foreign, bootId: 'boot-2' }, machine: back }, ['remember []']],
  ])('%s', (_name, over, actions) => {
    expect(next(over)).toEqual(actions)
  })

  it('N3: its mark is taken off without its cordon', () => {
    const { actions } = plan([...rest, aMember('w1', { node: { ...foreign, ...marked } })], { batch: ['w1'] })
    expect(actions[0]).toMatchObject({ kind: 'ReleaseNode', uncordon: false })
  })
})

describe('machines of an external etcd', () => {
  const members = [...['e2', 'e3'].map((name) => aMember(name, upToDate)), ...rest]
  const step = (over: MemberOptions, etcdOver: object = {}) =>
    told(
      plan([aMember('e1', over), ...members], { batch: [{ name: 'e1', before: { offering: 'v1' } }], ...etcdOver })
        .actions,
    )

  it.each<[string, MemberOptions, string[]]>([
    ['are stopped without mark, cordon or drain', {}, ['StopMachine e1']],
    ['are changed', { machine: { state: 'Stopped' } }, ['ApplySettings e1']],
    ['are started', { machine: { state: 'Stopped', ...back } }, ['StartMachine e1']],
    ['are through when they run, have the settings and answer', { machine: back }, ['remember []']],
  ])('%s', (_name, over, actions) => {
    expect(step(over)).toEqual(actions)
  })

  it('are waited for until their own endpoint is healthy', () => {
    const etcd = {
      ready: true,
      members: ['e1', 'e2', 'e3'].map((name) => ({
        name,
        machineId: `m-${name}`,
        healthy: name !== 'e1',
        voter: true,
      })),
    }
    expect(step({ machine: back }, { over: { etcd } })).toEqual([])
  })

  it('C22: does not wait for a member that an earlier run left stopped, and that comes next', () => {
    const down = aMember('e2', { machine: { state: 'Stopped' } })
    const [e1, ...others] = [aMember('e1', { machine: back }), down, aMember('e3', upToDate)]
    const all = [e1!, ...others, ...rest]
    const entry = { name: 'e1', before: { offering: 'v1' } }
    expect(told(plan(all, { batch: [entry], over: { etcd: healthyEtcd(all) } }).actions)).toEqual(['remember []'])
  })
})

describe('C24, D6: a drain that fails', () => {
  const failed = { outcome: 'Failed' as const, message: 'budget web allows none' }
  const entry: BatchNode = { name: 'w1', bootId: 'boot-1', failed: { reason: 'DrainFailed', message: 'budget web' } }

  it('C24: is written down, and the node is given back, as it never went down', () => {
    expect(next({ node: ours, drain: failed })).toEqual(['remember [w1 DrainFailed]'])
    expect(next({ node: ours, drain: failed }, entry)).toEqual(['ReleaseNode w1'])
    expect(next({ drain: failed }, entry)).toEqual(['remember [w1 DrainFailed] Failed DrainFailed'])
  })

  it('D6: only our own cordon is taken off', () => {
    expect(next({ node: { cordon: 'foreign' } }, entry)).toEqual(['remember [w1 DrainFailed] Failed DrainFailed'])
  })

  it('C24: every other node of the batch that never went down is given back, those that are down are brought back', () => {
    const members = [
      ...rest,
      aMember('w1', { node: ours, drain: failed }),
      aMember('w2', { node: ours, drain: drained }),
      aMember('w3', { node: { ...ours, ready: false }, machine: { state: 'Stopped' } }),
    ]
    const options = { operation: { maxUnavailable: 3 } }
    expect(told(plan(members, { batch: ['w1', 'w2', 'w3'], ...options }).actions)).toEqual([
      'remember [w1 DrainFailed, w2 BatchFailed, w3]',
    ])
    const batch = [entry, { ...entry, name: 'w2', failed: { reason: 'BatchFailed', message: '' } }, 'w3']
    expect(told(plan(members, { batch, ...options }).actions)).toEqual([
      'ReleaseNode w1',
      'ReleaseNode w2',
      'ApplySettings w3',
    ])
  })

  it('with onTimeout Skip the node is left out, and the others go on', () => {
    expect(next({ node: ours, drain: { outcome: 'Skipped', message: 'm' } })).toEqual(['remember [w1 skipped]'])
    const { actions } = plan([...rest, aMember('w1')], {
      batch: [{ name: 'w1', bootId: 'boot-1', skipped: 'drain: m' }],
    })
    expect(actions[0]).toMatchObject({ status: { operation: { skipped: [{ name: 'w1', message: 'drain: m' }] } } })
    expect(actions[0]).not.toHaveProperty('status.operation.batch')
  })
})

describe('C23: the deadline of a batch', () => {
  it('C23: is nodeTimeout after its claim; what is not done then has failed', () => {
    const over = { node: { ...ours, ready: false }, machine: { state: 'Starting' as const, ...back } }
    const members = [...rest, aMember('w1', over)]
    expect(plan(members, { batch: ['w1'] }, T0 + 29 * MINUTE).actions).toEqual([])
    expect(told(plan(members, { batch: ['w1'] }, T0 + 30 * MINUTE).actions)).toEqual(['remember [w1 NodeTimeout]'])
    expect(plan(members, { batch: ['w1'] }, T0).requeueAfterMs).toBeLessThanOrEqual(5_000)
  })

  it('C23: the drain is told of it', () => {
    const { actions } = plan([...rest, aMember('w1', { node: ours })], { batch: ['w1'] })
    expect(actions[0]).toMatchObject({ kind: 'DrainNode', startedAt: T0, deadline: T0 + 30 * MINUTE })
  })
})

describe('a start that fails', () => {
  const failure = { code: 'InsufficientCapacity', message: 'no host' }
  const down = (settings: object, over: object = {}): MemberOptions => ({
    node: { ...ours, ready: false },
    machine: { state: 'Stopped', ...settings, ...over },
  })
  const entry: BatchNode = { name: 'w1', bootId: 'boot-1', before: { offering: 'v1' } }
  const restoring: BatchNode = { ...entry, restoring: true }

  it('the old settings are put back, once, and it is started again', () => {
    expect(next(down(back, { failure }), entry)).toEqual(['remember [w1 restoring]'])
    expect(next(down(back, { failure }), restoring)).toEqual(['ApplySettings w1'])
    expect(next(down({}), restoring)).toEqual(['StartMachine w1'])
    expect(next({ node: { ...ours, bootId: 'boot-2' } }, restoring)).toEqual(['remember [w1 Restored restoring]'])
  })

  it('settings that are refused on the way are given up the same way', () => {
    expect(next(down({}, { failure: { ...failure, code: 'Refused' } }), entry)).toEqual(['remember [w1 restoring]'])
    expect(next(down({}, { failure: { ...failure, code: 'Refused' } }), restoring)).toEqual(['StartMachine w1'])
  })

  it('when that fails too, the node is left for a person', () => {
    expect(next(down({}, { failure }), restoring)).toEqual(['remember [w1 StartFailed restoring]'])
    expect(next(down({}, { failure }), { ...restoring, failed: { reason: 'StartFailed', message: '' } })).toEqual([
      'remember [w1 StartFailed restoring] Failed StartFailed',
    ])
  })

  it('a stale Ready after it is not taken for a restart either', () => {
    expect(next({ node: ours }, restoring)).toEqual([])
  })

  it('what may pass by itself is tried again', () => {
    expect(next(down(back, { failure: { ...failure, code: 'Transient' } }), entry)).toEqual(['StartMachine w1'])
  })
})

describe('something else fails while a batch is under way', () => {
  const sick = aMember('w9', { ...upToDate, node: { ready: false } })
  const members = (over: MemberOptions): Member[] => [...control, sick, aMember('w8', upToDate), aMember('w1', over)]

  it.each<[string, MemberOptions]>([
    ['no mark', {}],
    ['no cordon', { node: marked }],
    ['no drain', { node: ours }],
    ['no stop', { node: ours, drain: drained }],
  ])('%s: the batch pauses by itself before it goes on', (_name, over) => {
    const { actions, notes } = plan(members(over), { batch: ['w1'] })
    expect(actions).toEqual([])
    expect(notes[0]).toMatchObject({
      reason: 'PreflightFailed',
      message: 'paused: 1 other node(s) are not Ready: w9',
      level: 'Warning',
    })
  })

  it('nodes that are down are brought back all the same', () => {
    expect(
      told(
        plan(members({ node: { ...ours, ready: false }, machine: { state: 'Stopped' } }), { batch: ['w1'] }).actions,
      ),
    ).toEqual(['ApplySettings w1'])
  })

  it('N1: two stops never spend the same place of the budget', () => {
    const two = ['w1', 'w2'].map((name) => aMember(name, { node: ours, drain: drained }))
    const all = [...rest, ...two]
    expect(told(plan(all, { batch: ['w1', 'w2'], operation: { maxUnavailable: 2 } }).actions)).toEqual([
      'StopMachine w1',
      'StopMachine w2',
    ])
    expect(told(plan(all, { batch: ['w1', 'w2'], operation: { maxUnavailable: 1 } }).actions)).toEqual([
      'StopMachine w1',
    ])
  })
})
