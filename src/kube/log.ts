/** What the rest of the program needs of a logger; a pino logger is one. Fields never hold secrets. */
export interface Log {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
  /** A logger that adds `fields` to every line. */
  child(fields: object): Log
}

const ignore = (): undefined => undefined

/** Says nothing. */
export const silentLog: Log = { debug: ignore, info: ignore, warn: ignore, error: ignore, child: () => silentLog }
