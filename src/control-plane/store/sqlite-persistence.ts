/**
 * One SQLite file in WAL mode. `synchronous=NORMAL`: a commit is in the operating system's hands before it is
 * acknowledged, so it survives the death of the process; a power cut may lose the last moments, never the file.
 * The file is locked exclusively while it is open: two servers on one file would each hide the other's writes.
 */
import { closeSync, existsSync, openSync, readSync } from 'node:fs'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import type { PersistedRow, Persistence } from './persistence.ts'
import { StoreError } from './store-error.ts'

const FORMAT_VERSION = 1
/** `Kobe` in ASCII: tells our files from other SQLite files. */
const APPLICATION_ID = 0x4b6f6265
const MAGIC = 'SQLite format 3\0'

const SQLITE_BUSY = 5
const SQLITE_LOCKED = 6
const SQLITE_CORRUPT = 11
const SQLITE_NOTADB = 26

export interface SqliteOptions {
  readonly path: string
  /** Upper limit of the file in bytes; a write beyond it fails as on a full disk. Default: none. */
  readonly maxBytes?: number
}

/** @throws StoreError `Corrupt`, `Unreadable`, `Locked`, `TooNew`; the file is left as it was. */
export function openSqlitePersistence(options: SqliteOptions): Persistence {
  checkHeader(options.path)
  const db = openDatabase(options.path)
  try {
    prepareDatabase(db, options)
    return new SqlitePersistence(db, options.path)
  } catch (error) {
    db.close()
    throw error instanceof StoreError ? error : openingError(error, options.path)
  }
}

/** Looks at the first bytes only, so that a foreign file is refused before SQLite touches it. */
function checkHeader(path: string): void {
  if (!existsSync(path)) return
  const head = Buffer.alloc(MAGIC.length)
  let length: number
  try {
    const file = openSync(path, 'r')
    try {
      length = readSync(file, head, 0, MAGIC.length, 0)
    } finally {
      closeSync(file)
    }
  } catch (error) {
    throw unreadable(path, error)
  }
  if (length > 0 && head.toString('latin1') !== MAGIC) throw corrupt(path, undefined)
}

function openDatabase(path: string): DatabaseSync {
  try {
    return new DatabaseSync(path)
  } catch (error) {
    throw openingError(error, path)
  }
}

function prepareDatabase(db: DatabaseSync, options: SqliteOptions): void {
  db.exec('PRAGMA locking_mode = EXCLUSIVE')
  const format = pragma(db, 'user_version')
  const application = pragma(db, 'application_id')
  const empty = db.prepare('SELECT count(*) AS n FROM sqlite_schema').get()?.['n'] === 0
  if (!empty && application !== APPLICATION_ID) throw corrupt(options.path, undefined)
  if (format > FORMAT_VERSION) {
    throw new StoreError(
      'TooNew',
      `The storage file ${options.path} has format ${format}; this version reads up to ${FORMAT_VERSION}. Start a newer version, or use another file.`,
    )
  }
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -1024')
  if (empty) createTables(db)
  // Takes the exclusive lock now, so that a second server fails at its start and not at its first write.
  db.exec('BEGIN IMMEDIATE; COMMIT')
  if (options.maxBytes !== undefined) limitSize(db, options.maxBytes)
}

function createTables(db: DatabaseSync): void {
  db.exec(`
    BEGIN IMMEDIATE;
    CREATE TABLE objects (
      resource TEXT NOT NULL, key TEXT NOT NULL, revision INTEGER NOT NULL, body TEXT NOT NULL,
      PRIMARY KEY (resource, key)
    ) STRICT;
    CREATE TABLE counters (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT, WITHOUT ROWID;
    INSERT INTO counters VALUES ('revision', 0);
    PRAGMA application_id = ${APPLICATION_ID};
    PRAGMA user_version = ${FORMAT_VERSION};
    COMMIT;
  `)
}

function limitSize(db: DatabaseSync, maxBytes: number): void {
  const pages = Math.max(1, Math.floor(maxBytes / pragma(db, 'page_size')))
  db.exec(`PRAGMA max_page_count = ${pages}`)
}

function pragma(db: DatabaseSync, name: string): number {
  return Number(db.prepare(`PRAGMA ${name}`).get()?.[name] ?? 0)
}

class SqlitePersistence implements Persistence {
  readonly revision: number
  readonly #db: DatabaseSync
  readonly #path: string
  readonly #put: StatementSync
  readonly #remove: StatementSync
  readonly #count: StatementSync
  readonly #begin: StatementSync
  readonly #commit: StatementSync

  constructor(db: DatabaseSync, path: string) {
    this.#db = db
    this.#path = path
    this.#put = db.prepare(
      'INSERT INTO objects (resource, key, revision, body) VALUES (?, ?, ?, ?) ' +
        'ON CONFLICT (resource, key) DO UPDATE SET revision = excluded.revision, body = excluded.body',
    )
    this.#remove = db.prepare('DELETE FROM objects WHERE resource = ? AND key = ?')
    this.#count = db.prepare("UPDATE counters SET value = ? WHERE name = 'revision'")
    this.#begin = db.prepare('BEGIN IMMEDIATE')
    this.#commit = db.prepare('COMMIT')
    // The last write is either a row or, when it was a deletion, the counter.
    const row = db
      .prepare('SELECT max((SELECT max(value) FROM counters), coalesce((SELECT max(revision) FROM objects), 0)) AS r')
      .get()
    this.revision = Number(row?.['r'] ?? 0)
  }

  *load(): Iterable<PersistedRow> {
    const rows = this.#db.prepare('SELECT resource, key, revision, body AS text FROM objects ORDER BY resource, key')
    try {
      for (const row of rows.iterate()) yield checkedRow(row, this.#path)
    } catch (error) {
      throw error instanceof StoreError ? error : openingError(error, this.#path)
    }
  }

  put(row: PersistedRow): void {
    this.#write(() => this.#put.run(row.resource, row.key, row.revision, row.text))
  }

  remove(resource: string, key: string, revision: number): void {
    this.#write(() => {
      this.#begin.run()
      try {
        this.#remove.run(resource, key)
        this.#count.run(revision)
        this.#commit.run()
      } catch (error) {
        if (this.#db.isTransaction) this.#db.exec('ROLLBACK')
        throw error
      }
    })
  }

  #write(action: () => void): void {
    try {
      action()
    } catch (error) {
      throw new StoreError(
        'WriteFailed',
        `The storage file ${this.#path} could not be written (${messageOf(error)}). Nothing was changed. Free disk space or check the file system, then try again.`,
        error,
      )
    }
  }

  close(): void {
    if (this.#db.isOpen) this.#db.close()
  }
}

function checkedRow(row: Record<string, unknown>, path: string): PersistedRow {
  const { resource, key, revision, text } = row
  const whole =
    typeof resource === 'string' &&
    typeof key === 'string' &&
    typeof revision === 'number' &&
    typeof text === 'string' &&
    text.startsWith('{') &&
    text.endsWith('}')
  if (!whole) throw corrupt(path, undefined)
  return { resource, key, revision, text }
}

function openingError(error: unknown, path: string): StoreError {
  // Extended codes carry the primary code in their lowest byte.
  const code = sqliteCode(error) & 0xff
  if (code === SQLITE_CORRUPT || code === SQLITE_NOTADB) return corrupt(path, error)
  if (code === SQLITE_BUSY || code === SQLITE_LOCKED) {
    return new StoreError(
      'Locked',
      `The storage file ${path} is in use by another process. Stop that process, or use another file.`,
      error,
    )
  }
  return unreadable(path, error)
}

function sqliteCode(error: unknown): number {
  if (typeof error !== 'object' || error === null || !('errcode' in error)) return 0
  return typeof error.errcode === 'number' ? error.errcode : 0
}

function corrupt(path: string, cause: unknown): StoreError {
  return new StoreError(
    'Corrupt',
    `The storage file ${path} is damaged or is not a control plane's file. It was left untouched. Restore a copy of it, or move it away to start with an empty store.`,
    cause,
  )
}

function unreadable(path: string, cause: unknown): StoreError {
  return new StoreError(
    'Unreadable',
    `The storage file ${path} cannot be opened (${messageOf(cause)}). Check that its folder exists and that this user may read and write it.`,
    cause,
  )
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
