/**
 * Makes one file of each program of members and the sources that it may ever load. Packages stay outside and are loaded
 * when needed, but for those that a source imports at its head: in one file that would be the head of everything.
 */
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { isAbsolute, join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { OutputChunk, Plugin } from 'rolldown'
import {
  type BundleManifest,
  type FileState,
  fileState,
  manifestFile,
  PROGRAMS,
  type Program,
} from '../../src/backends/embedded/program-bundle.ts'

/** Kept for the stack traces of members that still run an older one. */
const KEPT_FILES = 16

/** Packages that become part of the bundle. */
const INSIDE: readonly string[] = ['@marcbachmann/cel-js']

interface Bundle {
  readonly file: string
  readonly sources: readonly string[]
}

/** Writes the bundles of the checkout at `root` into `folder`; the manifest last, and in one step. */
export async function bundlePrograms(root: string, folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true })
  // Looked at before anything is read: a change during the work makes the bundle stale.
  const before = statesBelow(join(root, 'src'))
  const bundles = new Map<Program, Bundle>()
  for (const program of PROGRAMS) bundles.set(program, await bundle(root, folder, program))
  const sources = [...new Set([...bundles.values()].flatMap((made) => made.sources))]
  const made = [import.meta.filename, join(root, 'node_modules', 'rolldown', 'package.json')]
  const manifest: BundleManifest = {
    files: {
      'member-process': bundles.get('member-process')?.file ?? '',
      'shared-process': bundles.get('shared-process')?.file ?? '',
    },
    sources: Object.fromEntries([...sources, ...made].map((path) => [path, before.get(path) ?? stateOf(path)])),
  }
  writeWhole(join(folder, manifestFile), JSON.stringify(manifest))
  removeOld(folder, manifest)
}

async function bundle(root: string, folder: string, program: Program): Promise<Bundle> {
  const { rolldown } = await import('rolldown')
  const entry = join(root, 'src', 'backends', 'embedded', `${program}.ts`)
  const build = await rolldown({
    input: entry,
    platform: 'node',
    cwd: root,
    external: (id) => !id.startsWith('.') && !isAbsolute(id) && !INSIDE.includes(id),
    plugins: [placedAtItsSource()],
  })
  const { output } = await build.generate({
    dir: folder,
    format: 'esm',
    sourcemap: true,
    codeSplitting: false,
    comments: false,
  })
  await build.close()
  const [chunk, ...others] = output.filter((part) => part.type === 'chunk')
  if (chunk === undefined || others.length > 0) throw new Error(`${program} did not become one file`)
  const early = chunk.imports.filter((name) => !name.startsWith('node:'))
  if (early.length > 0) throw new Error(`every start of ${program} would load ${early.join(', ')}: put it into INSIDE`)
  return { file: writeChunk(folder, program, chunk), sources: chunk.moduleIds.filter((id) => isAbsolute(id)) }
}

/**
 * `.mjs`, or Node would first have to find out what it is. Named after what is in it: a member that runs and one that starts
 * never share a name for different code.
 */
function writeChunk(folder: string, program: Program, chunk: OutputChunk): string {
  const code = toAscii(chunk.code)
  const name = `${program}-${createHash('sha256').update(code).digest('hex').slice(0, 16)}.mjs`
  writeWhole(join(folder, `${name}.map`), chunk.map?.toString() ?? '{}')
  writeWhole(join(folder, name), code)
  return name
}

/** The engine keeps a program with one letter outside of Latin-1 in twice the memory: 4 MiB of each member. */
function toAscii(code: string): string {
  return code.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** `require` of a source beside the one that asks, with the ending of either. */
const REQUIRE_SOURCE = /\brequire\(`\.\/([\w-]+)\$\{extname\(import\.meta\.url\)\}`\)/
const MAKE_REQUIRE = /^const require = createRequire\(import\.meta\.url\)$/m

/** What a source finds by its own place is found from there; what it requires of our sources becomes part of the bundle. */
function placedAtItsSource(): Plugin {
  return {
    name: 'placed-at-its-source',
    transform(code, id) {
      if (!code.includes('import.meta')) return undefined
      const requiresSource = REQUIRE_SOURCE.test(code)
      const visible = requiresSource
        ? code.replace(MAKE_REQUIRE, '').replace(REQUIRE_SOURCE, (_, name: string) => `require('./${name}.ts')`)
        : code
      return { code: visible.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href)), map: null }
    },
  }
}

function statesBelow(folder: string): ReadonlyMap<string, FileState> {
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => join(entry.parentPath, entry.name))
  return new Map(paths.map((path) => [path, stateOf(path)]))
}

function stateOf(path: string): FileState {
  const state = fileState(path)
  if (state === undefined) throw new Error(`${relative(process.cwd(), path)} was removed while it was bundled`)
  return state
}

function writeWhole(path: string, text: string): void {
  const temporary = `${path}.${process.pid}.tmp`
  writeFileSync(temporary, text)
  renameSync(temporary, path)
}

function removeOld(folder: string, { files }: BundleManifest): void {
  const current = new Set(Object.values(files))
  const old = readdirSync(folder)
    .filter((name) => name.endsWith('.mjs') && !current.has(name))
    .sort((left, right) => changedAt(folder, right) - changedAt(folder, left))
    .slice(KEPT_FILES)
  for (const name of old) {
    rmSync(join(folder, name), { force: true })
    rmSync(join(folder, `${name}.map`), { force: true })
  }
}

const changedAt = (folder: string, name: string) => fileState(join(folder, name))?.mtimeMs ?? 0
