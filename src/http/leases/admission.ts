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
import { type AdmissionEntry, type AdmissionRecords, createAdmissionRecords, ENTRY_TTL_MS } from './admission-record.ts'
import { createLeaseWriter, type LeaseWriter } from './create-lease.ts'
import type { LeaseRequest } from './lease-request.ts'
import type { LeaseStore } from './lease-store.ts'
import { ADMISSION_ANNOTATION } from './new-lease.ts'
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
  /** Entries whose fate this replica knows, and since when: their lease exists (or did), or the API server refused it. */
  readonly settled: Map<string, number>
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
    if (idle && [...line.settled.values()].every((at) => now - at > ENTRY_TTL_MS)) lines.delete(key)
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
      const line: Line = lines.get(key) ?? { waiting: [], settled: new Map(), running: false }
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

/** Settles every member of the batch, or throws before any was settled. */
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
  const pairs = batch.flatMap((waiting, index) => {
    const decision = decisions[index]
    return decision === undefined ? [] : [carryOut(round, waiting, decision)]
  })
  await Promise.all(pairs)
}

/** Decides and writes the record, again and again while other replicas get in first. */
async function reserve(round: Round, key: string, batch: readonly Waiting[]): Promise<Decision[] | undefined> {
  const { deps, records, line } = round
  for (let attempt = 0; attempt < CONTENTION_LIMIT; attempt += 1) {
    // IMPORTANT: the record before the list; the proof in admission-record.ts rests on this order.
    const record = await records.read(key)
    const leases = await leasesOf(deps, key, batch)
    const now = deps.clock.now()
    const pending = openEntries(record.entries, leases, { now, settled: line.settled })
    const decisions = decide(
      batch.map((one) => one.candidate),
      { leases, pending, now },
    )
    const admitted = decisions.flatMap((decision) => (decision.kind === 'admitted' ? [decision.entry] : []))
    if (admitted.length === 0) return decisions
    if (await records.write(key, record, [...pending, ...admitted])) {
      forgetSettled(line, record.entries)
      return decisions
    }
  }
  return undefined
}

async function leasesOf(deps: Deps, key: string, batch: readonly Waiting[]): Promise<ClusterLease[]> {
  const identity = batch[0]?.candidate.request.principal.identity ?? ''
  const labelSelector = `${Label.requesterHash}=${requesterHash(identity)}`
  const { items } = await deps.client.list(CLUSTER_LEASES, { namespace: deps.namespace, labelSelector })
  return items.filter((lease) => requesterKey(lease.spec.requester) === key)
}

function openEntries(
  entries: readonly AdmissionEntry[],
  leases: readonly ClusterLease[],
  known: { now: number; settled: ReadonlyMap<string, number> },
): AdmissionEntry[] {
  const seen = new Set(leases.map((lease) => lease.metadata.annotations?.[ADMISSION_ANNOTATION]))
  return entries.filter(
    (entry) => !(seen.has(entry.id) || known.settled.has(entry.id)) && known.now - entry.at < ENTRY_TTL_MS,
  )
}

/** Entries that were in the record before this write are gone from it if they were settled: nobody asks for them again. */
function forgetSettled(line: Line, before: readonly AdmissionEntry[]): void {
  for (const entry of before) line.settled.delete(entry.id)
}

async function carryOut(round: Round, waiting: Waiting, decision: Decision): Promise<void> {
  try {
    waiting.resolve(await outcomeOf(round, waiting.candidate, decision))
  } catch (error) {
    waiting.reject(error)
  }
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
  if (outcome.certain) line.settled.set(entry.id, clock.now())
  if (outcome.kind === 'failed') throw outcome.error
  return { lease: outcome.lease, created: outcome.created }
}
