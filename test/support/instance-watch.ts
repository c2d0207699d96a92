/** Follows the instances of a pool with kubectl, at every resourceVersion, and tells what held at each of them. */
import { KUBECTL, type Running, start } from './run.ts'

export interface WatchedInstance {
  metadata: { name: string; uid: string; resourceVersion: string; labels?: Record<string, string> }
  status?: { phase?: string; specHash?: string; conditions?: { type: string; reason: string }[] }
}

export interface InstanceEvent {
  type: 'ADDED' | 'MODIFIED' | 'DELETED'
  object: WatchedInstance
}

/** The world after one event. */
export interface Moment {
  readonly event: InstanceEvent
  /** Members that were Ready before the event, and after it. */
  readonly readyBefore: number
  readonly ready: number
}

export interface InstanceWatch {
  events(): InstanceEvent[]
  /** The moments after the first `known` events, which only told what was there. */
  moments(known: number): Moment[]
  stop(): Promise<void>
}

export function watchInstances(kubeconfig: string, pool: string, env: Record<string, string>): InstanceWatch {
  const selector = `kobe.kunobi.ninja/pool=${pool}`
  const args = [
    '-n',
    'kobe-system',
    'get',
    'clusterinstance',
    '-l',
    selector,
    '-w',
    '-o',
    'json',
    '--output-watch-events',
  ]
  const running = start(KUBECTL, ['--kubeconfig', kubeconfig, ...args], { env })
  return {
    events: () => parseLines(running),
    moments: (known) => momentsOf(parseLines(running)).slice(known),
    async stop() {
      running.child.kill()
      await running.exited
    },
  }
}

/** kubectl prints one event a line; the last line may not be complete yet. */
function parseLines(running: Running): InstanceEvent[] {
  const text = running.output()
  const complete = text.slice(0, text.lastIndexOf('\n') + 1)
  return complete
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line))
}

function momentsOf(events: readonly InstanceEvent[]): Moment[] {
  const phases = new Map<string, string>()
  const ready = () => [...phases.values()].filter((phase) => phase === 'Ready').length
  return events.map((event) => {
    const readyBefore = ready()
    const { metadata, status } = event.object
    if (event.type === 'DELETED') phases.delete(metadata.uid)
    else phases.set(metadata.uid, status?.phase ?? 'Creating')
    return { event, readyBefore, ready: ready() }
  })
}

/** Why the member is being recycled, as its Ready condition says. */
export function recycleCause({ object }: InstanceEvent): string | undefined {
  if (object.status?.phase !== 'Recycling') return undefined
  return object.status.conditions?.find(({ type }) => type === 'Ready')?.reason
}
