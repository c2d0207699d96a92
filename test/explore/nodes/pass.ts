/** Passes of the planners over the world: begun from what the caches show, carried out write by write, each write guarded. */
import type { NodeAction } from '../../../src/core/nodes/action.ts'
import { planManagedCluster } from '../../../src/core/nodes/plan-managed-cluster.ts'
import { planNodeOperation } from '../../../src/core/nodes/plan-node-operation.ts'
import { carryOut, writeOperation } from '../../../src/core/simulate/nodes/effects.ts'
import { live, observeCluster, observeOperation, type Seen } from '../../../src/core/simulate/nodes/observe.ts'
import { sameStatus } from '../../../src/core/status-equality.ts'
import type { NodesPass, World } from './world.ts'

export function seenBy(world: World): Seen {
  const now = live(world)
  const { lag } = world.memory
  return lag === undefined ? now : { ...now, [lag.kind]: lag.seen[lag.kind] }
}

export function beginOperation(world: World, name: string, seen = seenBy(world)): NodesPass | undefined {
  const observed = observeOperation(world, name, seen)
  if (observed === undefined) return undefined
  const { actions, status } = planNodeOperation(observed, world.now)
  const changed = !sameStatus(observed.operation.status ?? {}, status)
  return {
    operation: name,
    uid: observed.operation.metadata.uid ?? '',
    actions,
    ...(changed ? { status: { of: observed.operation, to: status } } : {}),
    next: 0,
    ...fresh(world),
  }
}

export function beginScan(world: World, seen = seenBy(world)): NodesPass {
  const { actions } = planManagedCluster(observeCluster(world, seen), world.now)
  return { operation: undefined, uid: '', actions, next: 0, ...fresh(world) }
}

const fresh = (world: World): { freshIn?: World } => (world.memory.lag === undefined ? { freshIn: world } : {})

/** Every pass that could begin now; the one that stands still is not begun again. */
export function passesOf(world: World): NodesPass[] {
  const { suspended } = world.memory
  const seen = seenBy(world)
  const operations = seen.operations.flatMap(({ metadata }) => beginOperation(world, metadata.name ?? '', seen) ?? [])
  return [...operations, beginScan(world, seen)].filter(
    (pass) => suspended === undefined || pass.operation !== suspended.operation,
  )
}

export const writesOf = ({ actions, status }: NodesPass): number => actions.length + (status === undefined ? 0 : 1)

const FREE: ReadonlySet<NodeAction['kind']> = new Set(['AddFinalizer', 'RemoveFinalizer'])

/** Whether a plan made afresh, from what is true now, asks for the same. */
export function stillRight(world: World, pass: NodesPass, action: NodeAction): boolean {
  if (FREE.has(action.kind) || pass.freshIn === world) return true
  const fresh =
    pass.operation === undefined ? beginScan(world, live(world)) : beginOperation(world, pass.operation, live(world))
  return fresh?.actions.some((candidate) => sameStatus(candidate, action)) ?? false
}

/** Writes up to the one with this number; `paused` when there is more to do. */
export function run(world: World, pass: NodesPass, until = writesOf(pass)): { world: World; paused?: NodesPass } {
  let state = world
  for (let at = pass.next; at < pass.actions.length; at += 1) {
    if (at >= until) return { world: state, paused: stoppedAt(pass, at) }
    const action = pass.actions[at]
    // Another write came between: the pass is planned again from the start.
    if (action === undefined || !stillRight(state, pass, action)) return { world: state }
    state = carryOut(state, { operation: pass.operation ?? 'the scanner', uid: pass.uid }, action)
  }
  const { status } = pass
  if (status === undefined) return { world: state }
  if (until <= pass.actions.length) return { world: state, paused: stoppedAt(pass, pass.actions.length) }
  return { world: writeOperation(state, status.of, status.to) }
}

function stoppedAt({ freshIn: _then, ...pass }: NodesPass, next: number): NodesPass {
  return { ...pass, next }
}

export function describe(pass: NodesPass): string {
  const what = pass.actions.slice(pass.next).map(labelOf)
  if (pass.status !== undefined) what.push(`status ${pass.status.to.phase}`)
  return `${pass.operation ?? 'scanner'}: ${what.join(', ') || 'nothing'}`
}

function labelOf(action: NodeAction): string {
  if (action.kind !== 'SetCluster') return 'node' in action ? `${action.kind} ${action.node}` : action.kind
  const { state, operation } = action.status
  if (operation === undefined) return `SetCluster ${state}, held by nobody`
  const nodes = (operation.batch?.nodes ?? []).map(({ name, failed, restoring, skipped }) =>
    [name, failed?.reason, restoring === true ? 'restoring' : undefined, skipped === undefined ? undefined : 'skipped']
      .filter((part) => part !== undefined)
      .join(' '),
  )
  const outcome = operation.outcome === undefined ? '' : ` ${operation.outcome.phase} (${operation.outcome.reason})`
  return `SetCluster ${state} ${operation.name} [${nodes.join('; ')}]${outcome}`
}
