/** How members of one isolation are started, observed and stopped. */
import type { MemberFolder } from './member-folder.ts'
import type { MemberObservation } from './member-plan.ts'
import type { Launch, MemberRecord } from './member-record.ts'
import type { ProcessIdentity } from './process-identity.ts'

/** A record with a present launch. */
export type LaunchedRecord = MemberRecord & { readonly launch: Launch }

export interface MemberRunner {
  /** Starts `record.launch` in the background. Rejects with the system's error when nothing could be started. */
  start(folder: MemberFolder, record: LaunchedRecord): Promise<ProcessIdentity>
  observe(folder: MemberFolder, record: LaunchedRecord): Promise<MemberObservation>
  /**
   * Asks it to end, or ends it (`force`). Answers what is left of it, for a person; empty: it was observed that nothing is.
   * Called again until then.
   */
  stop(folder: MemberFolder, record: LaunchedRecord, force: boolean): Promise<readonly string[]>
  /** Lets go of what runs without stopping it. */
  close(): Promise<void>
}

export type OnChange = (name: string) => void
