/**
 * Writes every file that follows from the schemas: `node scripts/generate/index.ts`.
 * With `--check` nothing is written; exit code 1 and the names of the files that differ.
 */
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { openApiFile } from '../generate-openapi.ts'
import { cliReference } from './cli-reference.ts'
import { clientApi } from './client-api.ts'
import { crdFiles } from './crd-files.ts'
import { firstDifference } from './first-difference.ts'
import type { Generator } from './generated-files.ts'
import { kindsReference } from './kinds-reference.ts'
import { lintSchemas } from './lint-schema.ts'
import { metricsReference } from './metrics-reference.ts'
import { reasonsReference } from './reasons-reference.ts'

/** Every generator, in order. A new one is a line here. */
const GENERATORS: readonly Generator[] = [
  crdFiles,
  kindsReference,
  openApiFile,
  clientApi,
  cliReference,
  metricsReference,
  reasonsReference,
]

const ROOT = join(import.meta.dirname, '..', '..')

interface Change {
  readonly path: string
  /** Absent: the file has to go. */
  readonly content?: string
  /** What differs, for a person. */
  readonly detail: string
}

const findings = lintSchemas()
if (findings.length > 0) {
  for (const finding of findings) console.error(`schema: ${finding}`)
  process.exitCode = 1
} else {
  const changes = (await Promise.all(GENERATORS.map(changesOf))).flat()
  if (process.argv.includes('--check')) report(changes)
  else await apply(changes)
}

async function changesOf(generator: Generator): Promise<Change[]> {
  const files = await generator.run()
  const written = await Promise.all([...files].map(([path, content]) => compare(path, content)))
  const present = (await Promise.all((generator.owns ?? []).map(filesIn))).flat()
  const stale = present
    .filter((path) => !files.has(path))
    .map((path) => ({ path, detail: `no longer made by ${generator.name}` }))
  return [...written.filter((change) => change !== undefined), ...stale]
}

async function compare(path: string, content: string): Promise<Change | undefined> {
  const before = await readOrNothing(path)
  if (before === content) return undefined
  return { path, content, detail: before === undefined ? 'missing' : firstDifference(before, content) }
}

async function readOrNothing(path: string): Promise<string | undefined> {
  try {
    return await readFile(join(ROOT, path), 'utf8')
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

async function filesIn(folder: string): Promise<string[]> {
  try {
    return (await readdir(join(ROOT, folder))).map((file) => `${folder}/${file}`)
  } catch (error) {
    if (isMissing(error)) return []
    throw error
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT'
}

function report(changes: readonly Change[]): void {
  for (const { path, detail } of changes) console.error(`${path}: ${detail}`)
  if (changes.length === 0) return
  console.error('generated files are out of date; run: node scripts/generate/index.ts')
  process.exitCode = 1
}

async function apply(changes: readonly Change[]): Promise<void> {
  for (const { path, content } of changes) {
    const target = join(ROOT, path)
    if (content === undefined) {
      await rm(target)
      console.log(`removed ${path}`)
      continue
    }
    await mkdir(dirname(target), { recursive: true })
    await writeFile(target, content)
    console.log(`wrote ${path}`)
  }
}
