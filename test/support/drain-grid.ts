/**
 * The drain grid: every kind of pod, under every kind of budget, with every first answer of the eviction API, with time and
 * without. A cell is played against a model of the API on a virtual clock, and its end compared with what the rules say.
 */
import { recordAnswer } from '../../src/core/drain/memory.ts'
import {
  DEFAULT_DRAIN_POLICY,
  type DisruptionBudget,
  type DrainAction,
  type DrainMemory,
  type DrainPlan,
  type DrainPod,
  type EvictionAnswer,
} from '../../src/core/drain/model.ts'
import { planDrain } from '../../src/core/drain/plan-drain.ts'

export const POD_KINDS = [
  'managed',
  'volume',
  'critical',
  'emptyDir',
  'finished',
  'terminating',
  'unmanaged',
  'daemon',
  'orphanDaemon',
  'mirror',
  'skip',
  'waitCompleted',
] as const
export const BUDGETS = ['none', 'zero', 'one', 'two'] as const
export const FIRST_ANSWERS = [
  '200',
  '404',
  '429',
  '429 retry-after',
  '500',
  '403',
  'no answer, applied',
  'no answer, not applied',
] as const
export const CLOCKS = ['enough time', 'too little, Fail', 'too little, Force'] as const
export const NAMESAKES = ['no namesake', 'a namesake elsewhere'] as const

export interface Cell {
  readonly kind: (typeof POD_KINDS)[number]
  readonly budget: (typeof BUDGETS)[number]
  readonly first: (typeof FIRST_ANSWERS)[number]
  readonly clock: (typeof CLOCKS)[number]
  readonly namesake: (typeof NAMESAKES)[number]
}

export function allCells(): Cell[] {
  return POD_KINDS.flatMap((kind) =>
    BUDGETS.flatMap((budget) =>
      FIRST_ANSWERS.flatMap((first) =>
        CLOCKS.flatMap((clock) => NAMESAKES.map((namesake) => ({ kind, budget, first, clock, namesake }))),
      ),
    ),
  )
}

export const UID = 'ours'
const SHORT_MS = 8_000
const JOB_ENDS_MS = 20_000
/** From the request to end until the pod is gone. */
const ENDING_MS = 1_500
/** The pod goes by itself, and its controller makes a namesake on another node. */
const NAMESAKE_MS = 2_000
const OPERATION_MS = 600_000

export interface Played {
  readonly end: DrainPlan
  readonly endedAt: number
  readonly requests: readonly { readonly at: number; readonly action: DrainAction; readonly answer: EvictionAnswer }[]
  /** The namesake, or a pod that must stay, was ended. */
  readonly wronged: boolean
}

interface Model {
  now: number
  /** Undefined: gone. */
  pod: DrainPod | undefined
  endsAt: number
  namesake: boolean
}

/** Plays a cell to its end. @throws when it has none within 200 steps */
export function play(cell: Cell): Played {
  const model: Model = {
    now: 0,
    pod: podOf(cell.kind),
    endsAt: cell.kind === 'terminating' ? 3_000 : -1,
    namesake: false,
  }
  const requests: { at: number; action: DrainAction; answer: EvictionAnswer }[] = []
  let memory: DrainMemory = new Map()
  let wronged = false
  for (let step = 0; step < 200; step++) {
    const plan = planDrain(observe(cell, model, memory), model.now)
    if (plan.outcome !== 'InProgress') return { end: plan, endedAt: model.now, requests, wronged }
    for (const action of plan.actions) {
      const answer = serve(cell, model, action, requests.length)
      wronged ||= action.pod.uid !== UID
      requests.push({ at: model.now, action, answer })
      memory = recordAnswer(memory, action.pod.uid, answer, { now: model.now, policy: policyOf(cell), jitter: 0.5 })
    }
    advance(cell, model, plan.actions.length > 0 ? 0 : (plan.requeueAfterMs ?? 0))
  }
  throw new Error(`no end: ${JSON.stringify(cell)}`)
}

function policyOf({ clock }: Cell) {
  return {
    ...DEFAULT_DRAIN_POLICY,
    ...(clock === 'enough time' ? {} : { timeoutMs: SHORT_MS }),
    ...(clock === 'too little, Force' ? ({ onTimeout: 'Force' } as const) : {}),
  }
}

function observe(cell: Cell, { pod }: Model, memory: DrainMemory) {
  return {
    node: { name: 'n1', reachable: true, machineOff: false },
    pods: pod === undefined ? [] : [pod],
    daemonSets: new Set(['default/agent']),
    attachedClaims: new Set<string>(),
    budgets: budgetsOfCell(cell),
    policy: policyOf(cell),
    startedAt: 0,
    operationDeadline: OPERATION_MS,
    memory,
  }
}

/** The next thing that happens: a pod ends, a job finishes, or the plan wants to look again. */
function advance(cell: Cell, model: Model, lookInMs: number): void {
  const events = [
    lookInMs > 0 ? model.now + lookInMs : model.now + OPERATION_MS,
    ...(model.endsAt >= 0 ? [model.endsAt] : []),
    ...(cell.kind === 'waitCompleted' ? [JOB_ENDS_MS] : []),
    ...(cell.namesake === 'a namesake elsewhere' ? [NAMESAKE_MS] : []),
  ].filter((at) => at > model.now)
  // After a request the planner is asked again at once, so that a hot loop would show.
  model.now = lookInMs === 0 ? model.now + 1 : Math.min(...events)
  if (model.pod === undefined) return
  if (model.endsAt >= 0 && model.now >= model.endsAt) model.pod = undefined
  else if (cell.kind === 'waitCompleted' && model.now >= JOB_ENDS_MS) {
    model.pod = { ...model.pod, status: { phase: 'Succeeded' } }
  }
  if (cell.namesake === 'a namesake elsewhere' && model.now >= NAMESAKE_MS && mayVanish(cell)) {
    model.pod = undefined
    model.namesake = true
  }
}

/** Pods that a drain leaves alone stay where they are. */
function mayVanish({ kind }: Cell): boolean {
  return kind !== 'daemon' && kind !== 'mirror' && kind !== 'skip'
}

function serve(cell: Cell, model: Model, action: DrainAction, before: number): EvictionAnswer {
  const said = (answer: EvictionAnswer['answer'], more: Partial<EvictionAnswer> = {}) => ({
    answer,
    message: answer,
    ...more,
  })
  if (model.pod === undefined) return model.namesake ? said('OtherPod') : said('Gone')
  const accept = (graceMs: number) => {
    if (model.endsAt < 0) model.endsAt = model.now + graceMs
    model.pod = {
      ...model.pod,
      metadata: { ...model.pod?.metadata, deletionTimestamp: new Date(model.endsAt).toISOString() },
    }
  }
  if (action.kind === 'Delete') {
    accept(ENDING_MS)
    return said('Accepted')
  }
  if (before === 0) {
    switch (cell.first) {
      case '404':
        model.pod = undefined
        return said('Gone')
      case '429':
        return said('Budget')
      case '429 retry-after':
        return said('Budget', { retryAfterMs: 10_000 })
      case '500':
        return said('ServerError')
      case '403':
        return said('Forbidden')
      case 'no answer, applied':
        accept(ENDING_MS)
        return said('NoAnswer')
      case 'no answer, not applied':
        return said('NoAnswer')
      default:
        accept(ENDING_MS)
        return said('Accepted')
    }
  }
  // Finished pods need no budget.
  if (model.pod.status?.phase !== 'Succeeded') {
    if (cell.budget === 'zero') return said('Budget')
    if (cell.budget === 'two') return said('ServerError')
  }
  accept(ENDING_MS)
  return said('Accepted')
}

export interface Expected {
  readonly outcome: 'Drained' | 'Failed'
  /** Of the failure. */
  readonly cause?: string
  /** No request at all is sent. */
  readonly untouched?: boolean
}

const OURS_TO_MOVE = new Set<Cell['kind']>(['managed', 'volume', 'critical', 'emptyDir', 'finished'])

/** What the rules say, told without the planner. */
export function expectedEnd(cell: Cell): Expected {
  const { kind, clock, namesake } = cell
  const forced = clock === 'too little, Force'
  if (kind === 'daemon' || kind === 'mirror' || kind === 'skip') return { outcome: 'Drained', untouched: true }
  if (kind === 'terminating') return { outcome: 'Drained', untouched: true }
  if (kind === 'unmanaged' || kind === 'orphanDaemon') {
    return forced ? { outcome: 'Drained' } : { outcome: 'Failed', cause: 'Unmanaged', untouched: true }
  }
  if (OURS_TO_MOVE.has(kind)) return expectedOfRequests(cell, forced)
  if (namesake === 'a namesake elsewhere' || forced) return { outcome: 'Drained' }
  if (clock === 'too little, Fail') return { outcome: 'Failed', cause: 'LongJob', untouched: true }
  // It is asked at 20 s, when it has finished; only the first answer can be in the way.
  return cell.first === '403' ? { outcome: 'Failed', cause: 'Forbidden' } : afterwards(cell)
}

function expectedOfRequests(cell: Cell, forced: boolean): Expected {
  if (forced) return { outcome: 'Drained' }
  if (cell.first === '200' || cell.first === '404' || cell.first === 'no answer, applied') return { outcome: 'Drained' }
  if (cell.first === '403') return { outcome: 'Failed', cause: 'Forbidden' }
  if (cell.first === '500' && cell.budget === 'two') return { outcome: 'Failed', cause: 'SeveralBudgets' }
  // It goes before it is asked a second time.
  if (cell.namesake === 'a namesake elsewhere') return { outcome: 'Drained' }
  if (cell.first === '429 retry-after' && cell.clock === 'too little, Fail') {
    return { outcome: 'Failed', cause: 'BudgetExhausted' }
  }
  return afterwards(cell)
}

/** The second answer and all after it. */
function afterwards({ kind, budget, first }: Cell): Expected {
  const finished = kind === 'finished' || kind === 'waitCompleted'
  if (first === '500' && budget === 'two') return { outcome: 'Failed', cause: 'SeveralBudgets' }
  if (finished || budget === 'none' || budget === 'one') return { outcome: 'Drained' }
  return { outcome: 'Failed', cause: budget === 'zero' ? 'BudgetExhausted' : 'SeveralBudgets' }
}

export function podOf(kind: Cell['kind'], name = 'app-0', uid = UID): DrainPod {
  const owner = (ownerKind: string, ownerName: string) => ({
    ownerReferences: [{ apiVersion: 'apps/v1', kind: ownerKind, name: ownerName, uid: 'o', controller: true }],
  })
  const managed = owner('StatefulSet', 'app')
  const metadata = { namespace: 'default', name, uid, labels: { app: 'app' } }
  const running = { phase: 'Running' }
  const of = (meta: object, spec: object = {}, status: object = running): DrainPod => ({
    metadata: { ...metadata, ...meta },
    spec: { nodeName: 'n1', ...spec },
    status,
  })
  switch (kind) {
    case 'managed':
      return of(managed)
    case 'volume':
      return of(managed, { volumes: [{ name: 'data', persistentVolumeClaim: { claimName: `data-${name}` } }] })
    case 'critical':
      return of(managed, { priorityClassName: 'system-cluster-critical' })
    case 'emptyDir':
      return of(managed, { volumes: [{ name: 'tmp', emptyDir: {} }] })
    case 'finished':
      return of(managed, {}, { phase: 'Succeeded' })
    case 'terminating':
      return of({ ...managed, deletionTimestamp: '1970-01-01T00:00:03Z' })
    case 'unmanaged':
      return of({})
    case 'daemon':
      return of(owner('DaemonSet', 'agent'))
    case 'orphanDaemon':
      return of(owner('DaemonSet', 'removed'))
    case 'mirror':
      return of({ annotations: { 'kubernetes.io/config.mirror': 'x' } })
    case 'skip':
      return of({ ...managed, labels: { app: 'app', 'kobe.kunobi.ninja/drain': 'skip' } })
    case 'waitCompleted':
      return of({ ...managed, labels: { app: 'app', 'kobe.kunobi.ninja/drain': 'wait-completed' } })
  }
}

function budgetsOfCell({ budget }: Cell): DisruptionBudget[] {
  const make = (name: string, allowed: number): DisruptionBudget => ({
    metadata: { namespace: 'default', name, generation: 1 },
    spec: { selector: { matchLabels: { app: 'app' } } },
    status: { disruptionsAllowed: allowed, expectedPods: 1, desiredHealthy: 1 - allowed, observedGeneration: 1 },
  })
  if (budget === 'none') return []
  if (budget === 'two') return [make('a', 1), make('b', 1)]
  return [make('a', budget === 'zero' ? 0 : 1)]
}
