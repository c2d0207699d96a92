/** Stack traces of a bundled program in terms of its sources. */
import { readFileSync } from 'node:fs'
import { SourceMap, type SourceMapPayload } from 'node:module'
import { dirname, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

/** `stack` with each place in the bundle at `program` as a place in a source. Unchanged where there is no map of it. */
export function sourceStack(stack: string, program: string): string {
  const url = pathToFileURL(program).href
  if (!stack.includes(url)) return stack
  const map = mapAt(`${program}.map`)
  if (map === undefined) return stack
  return stack.replace(/(file:\/\/[^\s()]+):(\d+):(\d+)/g, (place, at: string, line: string, column: string) => {
    if (at !== url) return place
    const entry = map.findEntry(Number(line) - 1, Number(column) - 1)
    if (!('originalSource' in entry)) return place
    const source = resolve(dirname(program), entry.originalSource)
    return `${source}:${entry.originalLine + 1}:${entry.originalColumn + 1}`
  })
}

let known: { readonly path: string; readonly map: SourceMap | undefined } | undefined

/** A map takes a while to read, and a process has one program. */
function mapAt(path: string): SourceMap | undefined {
  if (known?.path !== path) known = { path, map: readMap(path) }
  return known.map
}

function readMap(path: string): SourceMap | undefined {
  try {
    return new SourceMap(JSON.parse(readFileSync(path, 'utf8')) as SourceMapPayload)
  } catch (error) {
    // A source that runs as it is has none; one of an old bundle may have been removed.
    if (error instanceof SyntaxError || (error instanceof Error && 'code' in error && error.code === 'ENOENT'))
      return undefined
    throw error
  }
}
