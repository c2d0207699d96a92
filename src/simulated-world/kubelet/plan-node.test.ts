import { describe, expect, it } from 'vitest'
import { NODE_ANNOTATIONS } from '../annotations.ts'
import { resolveTimings } from '../engine/timings.ts'
import type { CoordinationLease, Node, Pod } from '../kinds.ts'
import { conditionIn, NOW, node, pod, summary } from '../testing/objects.ts'
import { type MachineState, planNode } from './plan-node.ts'

const timings = resolveTimings({ bootDelayMs: 2_000, nodeReadyDelayMs: 500, leaseRenewMs: 10_000 })

function machine(state: MachineState | undefined, sinceMs: number, extra: Record<string, string> = {}): Node {
  const made = node('sim-1', {
    annotations: {
      ...(state === undefined ? {} : { [NODE_ANNOTATIONS.machine]: state }),
      ...(state === undefined ? {} : { [NODE_ANNOTATIONS.machineSince]: new Date(NOW + sinceMs).toISOString() }),
      ...extra,
    },
  })
  return { ...made, status: { ...made.status, nodeInfo: { bootID: 'boot-1' } } }
}

function lease(renewedMs: number): CoordinationLease {
  const renewTime = new Date(NOW + renewedMs).toISOString().replace('Z', '000Z')
  return { metadata: { name: 'sim-1' }, spec: { renewTime } }
}

const OFF = { [NODE_ANNOTATIONS.power]: 'off' }
const plan = (subject: Node, renewed: CoordinationLease | undefined = lease(0), pods: Pod[] = []) =>
  planNode({ node: subject, lease: renewed, pods, freshBootId: 'boot-2', timings }, NOW)

function written(subject: Node): { bootId?: string; ready?: string; machine?: string } {
  const { actions } = plan(subject)
  const status = actions.find(({ kind }) => kind === 'PatchStatus')
  const patch = actions.find(({ kind }) => kind === 'Patch')
  const after = (status?.kind === 'PatchStatus' ? status.status : {}) as Node['status']
  const annotations = patch?.kind === 'Patch' ? patch.metadata?.annotations : undefined
  return {
    ...(after?.nodeInfo?.['bootID'] === undefined ? {} : { bootId: after.nodeInfo['bootID'] }),
    ...(status === undefined ? {} : { ready: conditionIn(after, 'Ready')?.status ?? '' }),
    ...(annotations === undefined ? {} : { machine: annotations[NODE_ANNOTATIONS.machine] ?? '' }),
  }
}

describe('a simulated machine', () => {
  const states: Array<[string, Node, object]> = [
    ['a new one boots', machine(undefined, 0), { bootId: 'boot-2', ready: 'False', machine: 'running' }],
    ['is not Ready at once', machine('running', -100), { bootId: 'boot-1', ready: 'False' }],
    ['is Ready after the ready delay', machine('running', -500), { bootId: 'boot-1', ready: 'True' }],
    [
      'is never Ready when told so',
      machine('running', -9_000, { [NODE_ANNOTATIONS.neverReady]: 'true' }),
      { bootId: 'boot-1', ready: 'False' },
    ],
    ['power off stops it', machine('running', -9_000, OFF), { machine: 'stopped' }],
    ['a stopped one writes nothing', machine('stopped', -9_000, OFF), {}],
    ['power on boots it', machine('stopped', -9_000), { machine: 'booting' }],
    ['a boot takes its time', machine('booting', -1_999), {}],
    [
      'then it runs with another boot ID',
      machine('booting', -2_000),
      { bootId: 'boot-2', ready: 'False', machine: 'running' },
    ],
    ['a boot delay of its own', machine('booting', -2_000, { [NODE_ANNOTATIONS.bootDelay]: '1m' }), {}],
    ['power off while it boots', machine('booting', -1_000, OFF), { machine: 'stopped' }],
  ]
  it.each(states)('%s', (_, subject, seen) => {
    expect(written(subject)).toEqual(seen)
  })

  it('writes the boot ID before it says that it runs: a crash in between never leaves the old one', () => {
    expect(plan(machine('booting', -3_000)).actions.map(({ kind }) => kind)).toEqual(['PatchStatus', 'Patch'])
  })

  const renewals: Array<[string, CoordinationLease | undefined, string[]]> = [
    ['makes its Lease', undefined, ['create Lease sim-1', 'status Node sim-1']],
    ['renews it in time', lease(-10_000), ['patch Lease sim-1', 'status Node sim-1']],
    ['not before', lease(-9_000), ['status Node sim-1']],
    ['renews one of the future', lease(60_000), ['patch Lease sim-1', 'status Node sim-1']],
  ]
  it.each(renewals)('%s', (_, renewed, lines) => {
    const { actions } = planNode(
      { node: machine('running', -9_000), lease: renewed, pods: [], freshBootId: 'boot-2', timings },
      NOW,
    )
    expect(summary({ actions })).toEqual(lines)
  })

  it('keeps a mirror pod for each static pod', () => {
    const subject = machine('running', -9_000, { [NODE_ANNOTATIONS.staticPods]: 'etcd, proxy' })
    const mirrors = (pods: Pod[]) => summary(plan(subject, lease(0), pods)).filter((line) => line.startsWith('create'))
    expect(mirrors([])).toEqual(['create Pod etcd-sim-1', 'create Pod proxy-sim-1'])
    expect(mirrors([pod('etcd-sim-1')])).toEqual(['create Pod proxy-sim-1'])
  })
})
