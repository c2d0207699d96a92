/**
 * Admission of new leases, exact across replicas. Requests of one principal that arrive while another is being decided wait
 * and are decided together: a burst costs one write of the admission record, plus one per lease; refusals cost none.
 */
import type { ClusterLease } from '../../api/v1alpha1/cluster-lease.ts'
import type { ClusterPool } from '../../api/v1alpha1/cluster-pool.ts'
import { Label } from '../../api/v1alpha1/labels.ts'
import { CLUSTER_LEASES } from '../../api/v1alpha1/resources.ts'
import { principalKey, requesterKey } from '../auth/principal.ts'
import type { HttpDeps } from '../deps.ts'
import { ApiError } from '../errors.ts'
import { type Candidate, type Decision, decide } from './admission-decision.ts'
import { type AdmissionLine, createAdmissionLine, type Reading } from './admission-line.ts'
import { type AdmissionEntry, type AdmissionRecords, createAdmissionRecords } from './admission-record.ts'
import { createLeaseWriter, type LeaseWriter } from './create-lease.ts'
import type { LeaseRequest } from './lease-request.ts'
import type { LeaseStore } from './lease-store.ts'
import { checkPool } from './preflight.ts'
import { requesterHash } from './requester-hash.ts'

export interface Admitted {
  readonly lease: ClusterLease
  /** False: an earlier request with the same idempotency key made it. */
  readonly created: boolean
}

export interface Admission {
  /** Rejects with `ApiError`. */
  admit(request: LeaseRequest, pool: ClusterPool | undefined): Promise<Admitted>
}

interface Waiting {
  readonly candidate: Candidate
  resolve(admitted: Admitted): void
  reject(error: unknown): void
}

interface Line {
  waiting: Waiting[]
  readonly memory: AdmissionLine
  running: boolean
}

type Deps = Pick<HttpDeps, 'client' | 'clock' | 'log' | 'namespace' | 'random' | 'supportsVerifiedDestroy'> & {
  readonly store: LeaseStore
}

interface Round {
  readonly deps: Deps
  readonly records: AdmissionRecords
  readonly writer: LeaseWriter
  readonly line: Line
}

/** Principals remembered before those with nothing to remember are let go. */
const MANY_LINES = 1_000

function sweep(lines: Map<string, Line>, now: number): void {
  for (const [key, line] of lines) {
    const idle = !line.running && line.waiting.length === 0
    if (idle && line.memory.isSpent(now)) lines.delete(key)
  }
}

/** Attempts against other replicas before a request is told to come back. */
const CONTENTION_LIMIT = 8

export function createAdmission(deps: Deps): Admission {
  const records = createAdmissionRecords(deps.client, deps.namespace)
  const writer = createLeaseWriter(deps)
  const lines = new Map<string, Line>()

  const run = async (key: string, line: Line): Promise<void> => {
    line.running = true
    while (line.waiting.length > 0) {
      const batch = line.waiting
      line.waiting = []
      try {
        await admitBatch({ deps, records, writer, line }, key, batch)
      } catch (error) {
        const refusal = new ApiError('admission_busy', { retryAfterSeconds: 1, cause: error })
        for (const waiting of batch) waiting.reject(refusal)
      }
    }
    line.running = false
  }

  return {
    admit(request, pool) {
      const key = principalKey(request.principal)
      if (lines.size > MANY_LINES) sweep(lines, deps.clock.now())
      const line: Line = lines.get(key) ?? { waiting: [], memory: createAdmissionLine(), running: false }
      lines.set(key, line)
      const candidate = candidateOf(deps, request, pool)
      const answer = new Promise<Admitted>((resolve, reject) => line.waiting.push({ candidate, resolve, reject }))
      if (!line.running) run(key, line).catch((error: unknown) => deps.log.error({ err: error }, 'admission stopped'))
      return answer
    },
  }
}

function candidateOf(deps: Deps, request: LeaseRequest, pool: ClusterPool | undefined): Candidate {
  const supportsVerifiedDestroy = deps.supportsVerifiedDestroy ?? (() => false)
  return {
    request,
    nameHex: deps.random.hex(6),
    entryId: deps.random.hex(6),
    checkPool: () => checkPool({ request, pool, now: deps.clock.now(), supportsVerifiedDestroy }),
  }
}

/** Settles every member of the batch sooner or later, or throws before any was settled. Does not wait for the leases. */
async function admitBatch(round: Round, key: string, batch: readonly Waiting[]): Promise<void> {
  const decisions = await reserve(round, key, batch)
  if (decisions === undefined) {
    const error = new ApiError('admission_busy', {
      retryAfterSeconds: 1,
      detail: 'Other requests of yours are being admitted',
    })
    for (const waiting of batch) waiting.reject(error)
    return
  }
  for (const [index, { candidate, resolve, reject }] of batch.entries()) {
    const decision = decisions[index]
    if (decision !== undefined) outcomeOf(round, candidate, decision).then(resolve, reject)
  }
}

/** Decides and writes the record, again and again while other replicas get in first. */
async function reserve(round: Round, key: string, batch: readonly Waiting[]): Promise<Decision[] | undefined> {
  const { deps, line } = round
  const { store, clock } = deps
  const known = line.memory.known({ leases: store.ofRequester(key), upTo: store.knownUpTo() }, clock.now())
  const decisions = known === undefined ? undefined : decideFrom(round, known, batch)
  if (known !== undefined && decisions?.every(needsNoReading) && (await record(round, key, known, decisions))) {
    return decisions
  }
  for (let attempt = 0; attempt < CONTENTION_LIMIT; attempt += 1) {
    const reading = await read(round, key, batch)
    const exact = decideFrom(round, reading, batch)
    if (await record(round, key, reading, exact)) return exact
  }
  return undefined
}

/** Any other decision may rest on a lease that is over, or an entry that is not needed any more. */
const needsNoReading = ({ kind }: Decision): boolean => kind === 'admitted' || kind === 'existing'

function decideFrom({ deps }: Round, { leases, open }: Reading, batch: readonly Waiting[]): Decision[] {
  const candidates = batch.map(({ candidate }) => candidate)
  return decide(candidates, { leases, pending: open, now: deps.clock.now() })
}

/** Writes down what was admitted. False when another replica wrote in between. */
async function record(round: Round, key: string, reading: Reading, decisions: readonly Decision[]): Promise<boolean> {
  const { records, line } = round
  const admitted = decisions.flatMap((decision) => (decision.kind === 'admitted' ? [decision.entry] : []))
  if (admitted.length === 0) return true
  const written = await records.write(key, reading.record, [...reading.open, ...admitted])
  if (written === undefined) line.memory.lost()
  else line.memory.wrote(written, reading)
  return written !== undefined
}

async function read({ deps, records, line }: Round, key: string, batch: readonly Waiting[]): Promise<Reading> {
  const settledBefore = line.memory.settledNow()
  // IMPORTANT: the record before the list; the proof in admission-record.ts rests on this order.
  const found = await records.read(key)
  const list = await leasesOf(deps, key, batch)
  return line.memory.fresh(found, list, { settledBefore, now: deps.clock.now() })
}

async function leasesOf(deps: Deps, key: string, batch: readonly Waiting[]) {
  const identity = batch[0]?.candidate.request.principal.identity ?? ''
  const labelSelector = `${Label.requesterHash}=${requesterHash(identity)}`
  const { items, resourceVersion } = await deps.client.list(CLUSTER_LEASES, {
    namespace: deps.namespace,
    labelSelector,
  })
  return { items: items.filter((lease) => requesterKey(lease.spec.requester) === key), resourceVersion }
}

async function outcomeOf(round: Round, candidate: Candidate, decision: Decision): Promise<Admitted> {
  switch (decision.kind) {
    case 'refused':
      throw decision.error
    case 'existing':
      return { lease: decision.lease, created: false }
    case 'sameAs': {
      const lease = await round.writer.waitFor(decision.entry.lease, candidate.request)
      return lease === undefined ? await takeOver(round, candidate, decision.entry) : { lease, created: false }
    }
    case 'admitted':
      return await create(round, candidate.request, decision)
  }
}

/**
 * The replica that admitted the same request has not created the lease: it is gone, or slow. The place is taken for this very
 * name, so creating it here is safe: if both do, the API server keeps one, and both answer with that.
 */
async function takeOver(
  round: Round,
  { request, checkPool: check }: Candidate,
  entry: AdmissionEntry,
): Promise<Admitted> {
  const pool = check()
  if (pool instanceof ApiError) throw pool
  return await create(round, request, { entry, pool })
}

async function create(
  { deps, writer, line }: Round,
  request: LeaseRequest,
  { entry, pool }: Pick<Extract<Decision, { kind: 'admitted' }>, 'entry' | 'pool'>,
): Promise<Admitted> {
  const { namespace, clock } = deps
  const outcome = await writer.create({ request, pool, name: entry.lease, namespace, admissionId: entry.id })
  const version = outcome.kind === 'there' ? outcome.lease.metadata.resourceVersion : undefined
  if (outcome.certain) line.memory.settle(entry.id, { at: clock.now(), version })
  if (outcome.kind === 'failed') throw outcome.error
  return { lease: outcome.lease, created: outcome.created }
}
