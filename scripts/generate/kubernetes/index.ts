/**
 * Writes `src/control-plane/generated/`: what is known of the built-in kinds, taken from pinned upstream modules.
 *
 *   node scripts/generate/kubernetes/index.ts           writes the files
 *   node scripts/generate/kubernetes/index.ts --check   compares them, exit 1 on a difference
 *
 * Both need the Go client (it fetches the modules); without it the check is skipped with a message, as the files are committed.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { alwaysWritten, type MessageRow, reachable, readMessages } from './protobuf.ts'
import { type GroupVersionRow, readResources } from './resources.ts'
import { byPackage, type JsonObject, readDefinitions, statusOnly } from './schemas.ts'
import { findSources, KUBERNETES_VERSION, type Sources } from './sources.ts'

const OUTPUT = path.resolve(import.meta.dirname, '../../../src/control-plane/generated')

main(process.argv.includes('--check'))

function main(check: boolean): void {
  const sources = findSources()
  if (sources === undefined) {
    console.log('generate kubernetes: skipped, there is no Go client here to fetch the upstream modules with')
    process.exitCode = check ? 0 : 1
    return
  }
  const files = generate(sources)
  if (check) reportDifferences(files)
  else write(files)
}

/** File name relative to the output folder -> content. */
function generate({ kubernetes, types }: Sources): Map<string, string> {
  const groupVersions = readResources(kubernetes)
  const names = groupVersions.map(({ group, version }) => (group === '' ? version : `${group}/${version}`))
  const definitions = readDefinitions(kubernetes, names)
  const kinds = kindsOf(definitions, groupVersions)
  const messages = reachable(readMessages(types), [...Object.values(kinds), 'io.k8s.apimachinery.pkg.runtime.Unknown'])
  const files = new Map<string, string>()
  files.set(
    'resources.json',
    lines({
      kubernetes: KUBERNETES_VERSION,
      groupVersions,
      kinds,
      statusOnly: statusOnly(definitions),
      alwaysWritten: optionalButWritten(definitions, messages),
    }),
  )
  for (const [name, schemas] of byPackage(definitions)) files.set(`schemas/${name}.json`, lines(schemas))
  for (const [name, table] of byPackage(messages)) files.set(`protobuf/${name}.json`, lines(table))
  return files
}

/** `group/version/Kind` -> the definition (and message) of that name. The kinds of no group of their own, such as DeleteOptions, once. */
function kindsOf(
  definitions: ReadonlyMap<string, JsonObject>,
  served: readonly GroupVersionRow[],
): Record<string, string> {
  const kinds: Record<string, string> = {}
  for (const name of [...definitions.keys()].sort()) {
    const own = definitions.get(name)?.['x-kubernetes-group-version-kind'] as
      | Array<{ group: string; version: string; kind: string }>
      | undefined
    for (const { group, version, kind } of own ?? []) {
      if (kind === 'WatchEvent') continue
      if (served.some((row) => row.group === group && row.version === version))
        kinds[`${group}/${version}/${kind}`] = name
    }
  }
  kinds['meta.k8s.io/v1/DeleteOptions'] = 'io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions'
  return kinds
}

/** Fields that need not be sent and yet are always shown, with their zero: `readyReplicas: 0`. */
function optionalButWritten(
  definitions: ReadonlyMap<string, JsonObject>,
  messages: ReadonlyMap<string, MessageRow>,
): Record<string, string[]> {
  const found: Record<string, string[]> = {}
  for (const [name, { required, properties }] of [...definitions].sort(([left], [right]) => (left < right ? -1 : 1))) {
    const isOptional = (field: string): boolean => !(required as string[] | undefined)?.includes(field)
    const hasDefault = (field: string): boolean =>
      ((properties as JsonObject)?.[field] as JsonObject)?.['default'] !== undefined
    const fields = alwaysWritten(messages, name).filter((field) => isOptional(field) && hasDefault(field))
    if (fields.length > 0) found[name] = fields.sort()
  }
  return found
}

/** One entry per line, so that a difference shows what changed. */
function lines(value: object): string {
  const entries = Object.entries(value).map(([key, entry]) => `${JSON.stringify(key)}:${JSON.stringify(entry)}`)
  return `{\n${entries.join(',\n')}\n}\n`
}

function write(files: ReadonlyMap<string, string>): void {
  rmSync(OUTPUT, { recursive: true, force: true })
  for (const [name, content] of files) {
    mkdirSync(path.dirname(path.join(OUTPUT, name)), { recursive: true })
    writeFileSync(path.join(OUTPUT, name), content)
  }
  const bytes = [...files.values()].reduce((sum, content) => sum + content.length, 0)
  console.log(`generate kubernetes: wrote ${files.size} files, ${bytes} bytes, from ${KUBERNETES_VERSION}`)
}

function reportDifferences(files: ReadonlyMap<string, string>): void {
  const present = existsSync(OUTPUT)
    ? readdirSync(OUTPUT, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.json'))
    : []
  const names = [...new Set([...present, ...files.keys()])].sort()
  const different = names.filter(
    (name) => !present.includes(name) || readFileSync(path.join(OUTPUT, name), 'utf8') !== files.get(name),
  )
  for (const name of different)
    console.error(`generate kubernetes: ${name} differs from what upstream ${KUBERNETES_VERSION} gives`)
  if (different.length > 0)
    console.error('generate kubernetes: run `node scripts/generate/kubernetes/index.ts` and commit the result')
  process.exitCode = different.length > 0 ? 1 : 0
}
