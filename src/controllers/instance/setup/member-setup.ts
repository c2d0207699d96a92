/**
 * What is done inside a running member before it is Ready: addons, then readiness gates, then bootstraps.
 *
 * Each `check` does what can be done now and says what is still open; it is called again until everything has passed. What was
 * done is remembered by UID during the life of the process. After a restart it is done again, which changes nothing: objects
 * are applied, not created, and gates are asked.
 */
import type { GateEvidence } from '../../../core/instance/observed.ts'
import type { Clock } from '../../../kube/clock.ts'
import { KubeconfigError } from '../../../kube/connection.ts'
import type { Log } from '../../../kube/log.ts'
import { applyAddons } from './addons.ts'
import { runBootstraps, unsupportedJob } from './bootstraps/bootstraps.ts'
import type { RunBootstrapJob } from './bootstraps/run-job.ts'
import { createPublicFetch, type PublicFetch } from './fetch/fetch-public.ts'
import { checkGates, impossibleGate } from './gates/check-gates.ts'
import { createGuestSession, type GuestSession } from './guest.ts'
import { createManifestParser } from './manifest/parse-manifest.ts'
import type { SetupContext } from './setup-context.ts'
import type { SetupRequest } from './setup-request.ts'
import type { UnfinishedStep } from './step-result.ts'

export type { BootstrapRequest, SetupRequest } from './setup-request.ts'

export interface MemberSetup {
  /**
   * Does what can be done now. Each request to a member has a deadline of 5 s, and no new object is begun after 5 s. Two calls
   * for one UID at the same time are one. Never throws for anything that a member, a URL or a manifest does.
   */
  check(request: SetupRequest): Promise<GateEvidence>
  /** Closes the connections to a member and forgets what was done in it. */
  forget(uid: string): void
  /** Forgets every member. */
  close(): void
}

export interface MemberSetupDeps {
  readonly clock: Clock
  readonly log: Log
  /** Runs the jobs of bootstraps. Left out: a bootstrap with a job fails as unsupported. */
  readonly runJob?: RunBootstrapJob
  /** Reads URLs of addons and gates. Default: public https addresses only. */
  readonly fetch?: PublicFetch
}

/** For one check, milliseconds; well below the time after which somebody would ask whether the operator still lives. */
const CHECK_BUDGET_MS = 5_000

type Outcome = { readonly state: 'done' } | (UnfinishedStep & { readonly bootstrap?: string })

interface Member {
  readonly session: GuestSession
  running?: Promise<Outcome> | undefined
}

export function createMemberSetup(deps: MemberSetupDeps): MemberSetup {
  const members = new Map<string, Member>()
  const fetch = deps.fetch ?? createPublicFetch({ clock: deps.clock })
  const parse = createManifestParser()
  const contextOf = (request: SetupRequest, { guest }: GuestSession): SetupContext => ({
    request,
    guest,
    fetch,
    parse,
    clock: deps.clock,
    log: deps.log,
    runJob: deps.runJob,
    deadline: deps.clock.monotonic() + CHECK_BUDGET_MS,
  })
  const memberOf = (uid: string): Member => {
    const member = members.get(uid) ?? { session: createGuestSession() }
    members.set(uid, member)
    return member
  }
  const start = (member: Member, request: SetupRequest): Promise<Outcome> => {
    const running = runSetup(member.session, request, contextOf).finally(() => {
      member.running = undefined
    })
    member.running = running
    return running
  }
  const forget = (uid: string): void => {
    members.get(uid)?.session.close()
    members.delete(uid)
  }
  return {
    async check(request) {
      const impossible = whyImpossible(request, deps.runJob !== undefined)
      if (impossible !== undefined) return evidenceOf({ state: 'failed', message: impossible }, deps.clock)
      const member = memberOf(request.uid)
      return evidenceOf(await (member.running ?? start(member, request)), deps.clock)
    },
    forget,
    close() {
      for (const uid of [...members.keys()]) forget(uid)
    },
  }
}

function whyImpossible(request: SetupRequest, hasJobRunner: boolean): string | undefined {
  const { gates, runsBootstrapJobs } = request.capabilities
  return (
    impossibleGate(request.readinessGates, gates) ??
    unsupportedJob(request.bootstraps, { backend: runsBootstrapJobs, operator: hasJobRunner })
  )
}

async function runSetup(
  session: GuestSession,
  request: SetupRequest,
  contextOf: (request: SetupRequest, session: GuestSession) => SetupContext,
): Promise<Outcome> {
  try {
    session.connect(request.kubeconfig)
  } catch (error) {
    if (error instanceof KubeconfigError) return { state: 'waiting', message: error.message }
    throw error
  }
  const context = contextOf(request, session)
  for (const stage of [applyAddons, checkGates, runBootstraps]) {
    const result = await stage(context)
    if (result.state !== 'done') return result
  }
  return { state: 'done' }
}

function evidenceOf(outcome: Outcome, clock: Clock): GateEvidence {
  const at = clock.now()
  if (outcome.state === 'done') return { passed: true, at }
  const { state, message, bootstrap } = outcome
  return {
    passed: false,
    message,
    ...(bootstrap === undefined ? {} : { activeBootstrap: bootstrap }),
    ...(state === 'failed' ? { failed: true } : {}),
    at,
  }
}
