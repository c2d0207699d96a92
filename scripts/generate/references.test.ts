import { glob, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { NodeReason } from '../../src/api/v1alpha1/node-reasons.ts'
import { Reason } from '../../src/api/v1alpha1/reasons.ts'
import { METRICS_PAGE, metricsReference } from './metrics-reference.ts'
import { REASONS_PAGE, reasonsReference } from './reasons-reference.ts'

const ROOT = join(import.meta.dirname, '..', '..')

/** What stands in the first column of the tables. */
const firstCells = (page: string): string[] => [...page.matchAll(/^\| `(\w+)` \|/gm)].map(([, cell]) => cell ?? '')

describe('the page of metrics', () => {
  it('names every metric that the source makes, each once', async () => {
    const made = new Set<string>()
    for await (const file of glob('src/**/*.ts', { cwd: ROOT })) {
      if (file.endsWith('.test.ts')) continue
      const source = await readFile(join(ROOT, file), 'utf8')
      for (const [, name] of source.matchAll(/'(kobe_[a-z_]+)'/g)) made.add(name ?? '')
    }
    const page = (await metricsReference.run()).get(METRICS_PAGE) ?? ''
    const named = firstCells(page).filter((cell) => cell.startsWith('kobe_'))
    expect(named.toSorted()).toEqual([...made].toSorted())
  })

  it('alerts on nothing that does not exist', async () => {
    const page = (await metricsReference.run()).get(METRICS_PAGE) ?? ''
    const [tables = '', alerts = ''] = page.split('## Alerts')
    for (const [name] of alerts.matchAll(/kobe_[a-z_]+/g)) expect(tables).toContain(`\`${name}\``)
  })
})

describe('the page of reasons', () => {
  it.each([
    ['of nodes', NodeReason],
    ['of pools and leases', Reason],
  ])('says what each reason %s stands for', async (_, reasons) => {
    const page = (await reasonsReference.run()).get(REASONS_PAGE) ?? ''
    const named = new Set(firstCells(page))
    expect(Object.values(reasons).filter((reason) => !named.has(reason))).toEqual([])
  })
})
