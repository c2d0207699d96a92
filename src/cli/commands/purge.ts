import { rmSync } from 'node:fs'
import type { KobeApi, LeaseSummary } from '../../client/api.ts'
import { releaseLease } from '../../client/lease-cluster.ts'
import { confirm } from '../choose.ts'
import { type CommandContext, defineCommand } from '../define-command.ts'
import { activeLeases } from '../find-lease.ts'
import { createLeaseFiles } from '../lease-files.ts'
import { EXIT, UserError } from '../user-error.ts'

export const purgeCommand = defineCommand({
  details: [
    'Releases every active lease of yours at this endpoint, requests that wait included, and removes the kubeconfigs that',
    '`kobe lease` wrote for them. Files that another endpoint needs are left alone.',
  ].join('\n'),
  examples: [
    ['kobe purge', 'everything, after asking'],
    ['kobe purge --yes', 'without asking, as in a script'],
    ['kobe purge --orphans-only', 'only the files of leases that are over'],
  ],
  options: [
    { flags: '-y, --yes', description: 'do not ask' },
    { flags: '--orphans-only', description: 'release nothing; remove kubeconfigs whose lease is over' },
  ],
  async run(context, input) {
    const api = await context.api()
    const active = await activeLeases(context)
    const orphansOnly = input.options['orphansOnly'] === true
    if (!orphansOnly && active.length > 0 && input.options['yes'] !== true) await ask(context, active)
    const released = orphansOnly ? [] : await releaseAll(context, api, active)
    const removed = await removeFiles(context, api, {
      living: new Set(active.map(({ id }) => id).filter((id) => !released.includes(id))),
      released: new Set(released),
    })
    await show(context, released, removed)
    return EXIT.ok
  },
})

async function ask(context: CommandContext, active: readonly LeaseSummary[]): Promise<void> {
  const names = active.map(({ id, profile }) => `${id} (${profile})`).join(', ')
  if (context.ask === undefined) {
    throw new UserError(`purge would release ${names}`, { fix: 'add --yes', exitCode: EXIT.usage })
  }
  if (!(await confirm(context, `Release ${names}?`))) {
    throw new UserError('nothing is released', { exitCode: EXIT.failure })
  }
}

async function releaseAll(
  { signal }: CommandContext,
  api: KobeApi,
  active: readonly LeaseSummary[],
): Promise<readonly string[]> {
  const done: string[] = []
  for (const { id } of active) {
    await releaseLease(api, id, signal)
    done.push(id)
  }
  return done
}

async function removeFiles(
  { env }: CommandContext,
  api: KobeApi,
  { living, released }: { readonly living: ReadonlySet<string>; readonly released: ReadonlySet<string> },
): Promise<readonly string[]> {
  const files = createLeaseFiles(env, api.target.endpoint)
  const removed: string[] = []
  for (const { leaseId } of files.tracked()) {
    if (living.has(leaseId)) continue
    const path = await files.remove(leaseId)
    if (path !== undefined) removed.push(path)
  }
  // Whose an unremembered file is nobody can tell, unless its lease was released just now.
  for (const { path } of files.untracked().filter(({ leaseId }) => released.has(leaseId))) {
    rmSync(path, { force: true })
    removed.push(path)
  }
  return removed
}

async function show(
  { output, format }: CommandContext,
  releasedLeases: readonly string[],
  removedKubeconfigs: readonly string[],
): Promise<void> {
  if (format === 'json' || format === 'yaml') {
    await output.data({ releasedLeases, removedKubeconfigs }, format)
    return
  }
  for (const id of releasedLeases) output.line(`${id} released`)
  for (const path of removedKubeconfigs) output.line(`${path} removed`)
  if (releasedLeases.length + removedKubeconfigs.length === 0) output.note('Nothing to do.')
}
