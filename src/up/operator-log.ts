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

export interface OperatorLog {
  readonly log: Log
  /** Writes what is buffered. */
  flush(): void
}

export function createOperatorLog(level: LogLevel, file?: string): OperatorLog {
  const destination = pino.destination({
    ...(file === undefined ? { dest: 1 } : { dest: file, mkdir: true }),
    sync: true,
  })
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
  return { log, flush: () => destination.flushSync() }
}
