/** JSON lines: to a file for `kobe up` (the screen belongs to the user), to stdout for `kobe operator`. */
import { pino } from 'pino'
import type { LogLevel } from '../config.ts'
import type { Log } from '../kube/log.ts'

/** Names of fields that must never reach a log, whatever object is passed by mistake. */
const SECRET_FIELDS = [
  'token',
  'kubeconfig',
  'authorization',
  'clientKey',
  '*.token',
  '*.kubeconfig',
  '*.authorization',
  '*.clientKey',
]

/** Characters that wait for a full disk; later lines are dropped. */
const LONGEST_BACKLOG = 1 << 20

export interface OperatorLog {
  readonly log: Log
  /** Writes what is buffered. */
  flush(): void
}

export function createOperatorLog(level: LogLevel, file?: string): OperatorLog {
  const destination = pino.destination({
    ...(file === undefined ? { dest: 1 } : { dest: file, mkdir: true }),
    sync: true,
    maxLength: LONGEST_BACKLOG,
  })
  // A full disk costs log lines, never the operator. The write that failed is tried again with the next line.
  destination.on('error', () => undefined)
  const log = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: SECRET_FIELDS, censor: '[redacted]' },
    },
    destination,
  )
  return { log, flush: () => flush(destination) }
}

function flush(destination: { flushSync(): void }): void {
  try {
    destination.flushSync()
  } catch (error) {
    // Still full at the end: what waits is lost, which the user learns from what could not be written elsewhere.
    if (!isSystemError(error)) throw error
  }
}

const isSystemError = (error: unknown): boolean => error instanceof Error && 'code' in error
