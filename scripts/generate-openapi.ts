/** Writes deploy/openapi.json out of the route schemas. `--check` writes nothing and fails when the file is not up to date. */
import { readFileSync, writeFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { describeApi } from '../src/http/describe-api.ts'
import { KOBE_VERSION } from '../src/version.ts'
import type { Generator } from './generate/generated-files.ts'

const FILE = new URL('../deploy/openapi.json', import.meta.url)

export async function renderOpenApi(): Promise<string> {
  return `${JSON.stringify(await describeApi(KOBE_VERSION), null, 2)}\n`
}

export const openApiFile: Generator = {
  name: 'openapi',
  run: async () => new Map([['deploy/openapi.json', await renderOpenApi()]]),
}

async function main(check: boolean): Promise<number> {
  const rendered = await renderOpenApi()
  if (!check) {
    writeFileSync(FILE, rendered)
    return 0
  }
  if (readFileSync(FILE, 'utf8') === rendered) return 0
  console.error('deploy/openapi.json is not up to date: run `npm run generate` and commit the result')
  return 1
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  process.exitCode = await main(process.argv.includes('--check'))
}
