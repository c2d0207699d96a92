/**
 * One pass of a controller, cut at its writes: what it observed and planned is fixed when it begins; each write is a step of its
 * own, before which the operator may stand still or die, and after which its answer may be lost.
 */
import type { Fence, World } from './world.ts'
import type { Writer } from './writes.ts'

export type ControllerName = 'pool' | 'instance' | 'lease'

export interface OpResult {
  readonly world: World
  /** False: the pass ends here. */
  readonly go: boolean
  /** The version of the planned object after this write; later writes of the pass are fenced with it. */
  readonly version?: string
}

export interface Op {
  readonly label: string
  /** Whether the API (or a backend) is changed, so that the answer can be lost. */
  readonly writes: boolean
  /** Of an interrupted pass: what of it matters. Equal for ops that do the same, whatever names and times are. */
  readonly key: string
  /** The object that the write is fenced with; whether it still fits matters. */
  readonly fence?: { readonly kind: 'pool' | 'instances' | 'leases'; readonly name: string } & Fence
  readonly run: (world: World, writer: Writer, version: string | undefined) => OpResult
}

export interface Pass {
  readonly controller: ControllerName
  readonly name: string
  readonly ops: readonly Op[]
  /** The op that comes next. */
  readonly next: number
  readonly version?: string
  /** The world as it was left by observing: reads show in the view. */
  readonly observedIn: World
  /** When to look again without an event. */
  readonly requeueAfterMs?: number | undefined
}

/** Runs the ops up to `until` (all of them by default). `paused` is set when there is more to do. */
export function run(world: World, pass: Pass, until = pass.ops.length): { world: World; paused?: Pass } {
  let state = world
  let { version } = pass
  for (let at = pass.next; at < pass.ops.length; at += 1) {
    if (at >= until)
      return { world: state, paused: { ...pass, next: at, ...(version === undefined ? {} : { version }) } }
    const op = pass.ops[at]
    if (op === undefined) break
    const result = op.run(state, 'mine', version)
    state = result.world
    if (!result.go) return { world: state }
    version = result.version ?? version
  }
  return { world: state }
}

/** Runs up to the op with this number, whose answer is lost: the pass ends in an error after it. */
export function runLosing(world: World, pass: Pass, lost: number): World {
  const { world: before, paused } = run(world, pass, lost)
  if (paused === undefined) return before
  const op = paused.ops[lost]
  return op === undefined ? before : op.run(before, 'lost', paused.version).world
}

/** Whether the fence of an op still fits, for the encoding of a pass that stands still. */
export function fenceHolds(world: World, { fence }: Op): boolean {
  if (fence === undefined) return true
  const objects = {
    pool: world.pool === undefined ? [] : [world.pool],
    instances: world.instances,
    leases: world.leases,
  }
  const object = objects[fence.kind].find(({ metadata }) => metadata.name === fence.name)
  return object?.metadata.uid === fence.uid && object?.metadata.resourceVersion === fence.resourceVersion
}
