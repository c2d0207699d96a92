/**
 * What a member of this checkout costs beside one of an earlier commit: started in turn, each alone, so that whatever else
 * the machine does meets both. Medians.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { openBaseline } from './baseline.ts'
import { type Checkout, destroyMember, memoryOf, openCheckout, startMember } from './member-start.ts'
import { summarize } from './statistics.ts'

/** More than this times the baseline is too much. */
const BOUND = 1.1

export interface GrowthOptions {
  /** Commit to compare with. */
  readonly baseline: string
  /** Members of each. */
  readonly count: number
  readonly storage: 'memory' | 'sqlite'
  /** How long a member is left alone before its memory is looked at. */
  readonly settleMs: number
}

const FIGURES = ['startMs', 'ensureMs', 'cpuMs', 'rss', 'pss'] as const
type Figures = Readonly<Record<(typeof FIGURES)[number], number>>
/** A start on a busy machine takes as long as the machine is busy: these say what the program does. */
const BOUNDED = ['startMs', 'cpuMs', 'rss', 'pss'] as const

export async function measureGrowth(options: GrowthOptions): Promise<{ readonly ok: boolean }> {
  const baseline = openBaseline(options.baseline)
  const folder = await mkdtemp(join(tmpdir(), 'kobe-bench-'))
  try {
    const before = await open(baseline.root, join(folder, 'baseline'))
    const present = await open(join(import.meta.dirname, '..', '..'), join(folder, 'present'))
    const { earlier, now } = await inTurn(before, present, options)
    const ratio = (name: keyof Figures) => Math.round((now[name] / earlier[name]) * 1000) / 1000
    return {
      ok: BOUNDED.every((name) => ratio(name) <= BOUND),
      ...{ baseline: { commit: baseline.commit, ...earlier }, present: now },
      ...{ ratio: Object.fromEntries(FIGURES.map((name) => [name, ratio(name)])), bound: BOUND, bounded: BOUNDED },
    }
  } finally {
    baseline.remove()
    await rm(folder, { recursive: true, force: true })
  }
}

const open = (root: string, folder: string) =>
  openCheckout({ root, stateDir: join(folder, 'members'), compileCacheDir: join(folder, 'compile-cache') })

async function inTurn(before: Checkout, present: Checkout, options: GrowthOptions) {
  const figures: { readonly earlier: Figures[]; readonly now: Figures[] } = { earlier: [], now: [] }
  // The first ones fill the compile caches.
  for (const checkout of [before, present]) await one(checkout, 'warm', { ...options, settleMs: 0 })
  for (let round = 0; round < options.count; round += 1) {
    console.error(`round ${round + 1} of ${options.count}`)
    figures.earlier.push(await one(before, `m${round}`, options))
    figures.now.push(await one(present, `m${round}`, options))
  }
  await before.launcher.close()
  await present.launcher.close()
  return { earlier: medians(figures.earlier), now: medians(figures.now) }
}

async function one(checkout: Checkout, name: string, { storage, settleMs }: GrowthOptions): Promise<Figures> {
  const { pid, ...times } = await startMember(checkout, { name, isolation: 'process', storage })
  await delay(settleMs)
  const memory = await memoryOf(pid)
  await destroyMember(checkout, name)
  return { ...times, ...memory }
}

function medians(all: readonly Figures[]): Figures {
  const median = (name: keyof Figures) => summarize(all.map((figures) => figures[name])).p50
  return {
    startMs: median('startMs'),
    ensureMs: median('ensureMs'),
    cpuMs: median('cpuMs'),
    rss: median('rss'),
    pss: median('pss'),
  }
}
