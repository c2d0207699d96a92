/**
 * Keeps the diagnostics of ended leases in a directory: one JSON file for each, and one beside it that says what it is. Bundles
 * go when their time is over; when all together grow too large the oldest go first. Files are readable by this user only.
 */
import { createHash, randomUUID } from 'node:crypto'
import { open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { makeFolder } from './client/make-folder.ts'
import type { DiagnosticsStore } from './controllers/lease/diagnostics/captures.ts'
import type { DiagnosticsReader, StoredDiagnostics } from './http/deps.ts'
import type { Clock } from './kube/clock.ts'
import type { Log } from './kube/log.ts'

/** Of all bundles together, bytes. */
const DEFAULT_MAX_BYTES = 1024 * 1024 * 1024
const PRUNE_EVERY_MS = 600_000
const ABANDONED_MS = 3_600_000
const META = '.meta.json'

export interface DiagnosticsDirectory extends DiagnosticsStore, DiagnosticsReader {
  /** Removes what is too old, and the oldest of too much. */
  prune(): Promise<void>
  close(): void
}

export interface DiagnosticsDirectoryOptions {
  readonly dir: string
  readonly clock: Clock
  readonly log: Log
  /** Of all bundles together, bytes. Default 1 GiB. */
  readonly maxBytes?: number
}

interface Meta extends Omit<StoredDiagnostics, 'open'> {
  readonly lease: string
}

export function openDiagnostics(options: DiagnosticsDirectoryOptions): DiagnosticsDirectory {
  const { dir, clock, log, maxBytes = DEFAULT_MAX_BYTES } = options
  // One after the other: two at a time would each remove a part.
  let last: Promise<void> = Promise.resolve()
  const prune = (): Promise<void> => {
    const next = last.then(() => pruneAll(dir, clock.now(), maxBytes))
    last = next.catch(() => undefined)
    return next
  }
  let cancel = clock.setTimer(0, tick)
  function tick(): void {
    prune().catch((error: unknown) => log.warn({ err: error }, 'diagnostics could not be pruned'))
    cancel = clock.setTimer(PRUNE_EVERY_MS, tick)
  }
  return {
    prune,
    close: () => cancel(),
    async write({ lease, owner, json, ...rest }) {
      makeFolder(dir)
      const base = join(dir, baseName(lease, owner))
      const meta: Meta = { lease, ...rest, bytes: Buffer.byteLength(json) }
      // The description comes last: what has one is whole.
      await writeWhole(`${base}.json`, json)
      await writeWhole(`${base}${META}`, JSON.stringify(meta))
      await prune()
    },
    async find(lease, owner) {
      const base = join(dir, baseName(lease, owner))
      const meta = await readMeta(`${base}${META}`)
      if (meta === undefined || meta.keptUntil <= clock.now()) return undefined
      const { capturedAt, keptUntil, bytes, complete } = meta
      return {
        capturedAt,
        keptUntil,
        bytes,
        complete,
        // Open before the first byte is sent: a bundle that is pruned meanwhile is still read to its end.
        open: async () => (await open(`${base}.json`)).createReadStream(),
      }
    },
  }
}

/** The owner is part of the name, so nobody else finds it; whatever a name holds, it stays in the directory. */
function baseName(lease: string, owner: string): string {
  return createHash('sha256').update(`${lease}\n${owner}`).digest('hex').slice(0, 40)
}

async function writeWhole(path: string, text: string): Promise<void> {
  const partial = `${path}.${randomUUID()}.partial`
  try {
    await writeFile(partial, text, { mode: 0o600 })
    await rename(partial, path)
  } catch (error) {
    await rm(partial, { force: true })
    throw error
  }
}

async function readMeta(path: string): Promise<Meta | undefined> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as Meta
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

const isMissing = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ENOENT'

async function pruneAll(dir: string, now: number, maxBytes: number): Promise<void> {
  const kept = await everything(dir)
  let bytes = kept.reduce((sum, { meta }) => sum + meta.bytes, 0)
  for (const { name, meta } of kept.sort((a, b) => a.meta.capturedAt - b.meta.capturedAt)) {
    if (meta.keptUntil > now && bytes <= maxBytes) continue
    await rm(join(dir, `${name}.json`), { force: true })
    await rm(join(dir, `${name}${META}`), { force: true })
    bytes -= meta.bytes
  }
  await removeHalves(dir, new Set(kept.map(({ name }) => name)))
}

/** A process that died while it wrote leaves a part, or a bundle that nothing describes. */
async function removeHalves(dir: string, whole: ReadonlySet<string>): Promise<void> {
  for (const file of await filesIn(dir)) {
    if (whole.has(file.slice(0, file.indexOf('.')))) continue
    const path = join(dir, file)
    const { mtimeMs } = await stat(path)
    if (Date.now() - mtimeMs > ABANDONED_MS) await rm(path, { force: true })
  }
}

const filesIn = (dir: string): Promise<string[]> =>
  readdir(dir).catch((error: unknown) => {
    if (isMissing(error)) return []
    throw error
  })

async function everything(dir: string): Promise<{ name: string; meta: Meta }[]> {
  const files = await filesIn(dir)
  const found: { name: string; meta: Meta }[] = []
  for (const file of files.filter((one) => one.endsWith(META))) {
    const meta = await readMeta(join(dir, file))
    if (meta !== undefined) found.push({ name: file.slice(0, -META.length), meta })
  }
  return found
}
