import { join, resolve } from 'node:path'
import type { Answer } from '../../client/api.ts'
import { type CommandContext, defineCommand, stringOption } from '../define-command.ts'
import { findLease } from '../find-lease.ts'
import { printFields } from '../show-lease.ts'
import { bundleFiles, plainName, writeBundle } from '../unpack-diagnostics.ts'

type Stored = Answer<'getLeaseDiagnostics'>

export const diagnosticsCommand = defineCommand({
  details: [
    'Diagnostics are made when a lease ends, where it was asked for with --diagnostics or the pool says so: events, resources and',
    'the last lines of the logs of the cluster. They outlive the lease by some days; name it by its id then.',
    '',
    'Without --output-dir it says what is kept. With it a folder named after the lease is made in there: bundle.json with',
    'everything, resources/<kind>.json and logs/<namespace>_<pod>_<container>.log. Files have mode 0600; none is written over',
    'without --force.',
  ].join('\n'),
  examples: [
    ['kobe diagnostics lease-3f9c0a5be1d2', 'what is kept, and until when'],
    ['kobe diagnostics lease-3f9c0a5be1d2 --output-dir .', 'as files'],
  ],
  args: [{ name: 'lease', description: 'lease id, alias or pool', required: true, complete: 'any-lease' }],
  options: [
    { flags: '--output-dir <folder>', description: 'where to write the files', complete: 'file' },
    { flags: '--force', description: 'write over files that are there' },
  ],
  async run(context, input) {
    const { output, format, signal, cwd } = context
    const api = await context.api()
    const params = { id: await findLease(context, input.args[0], 'ended first') }
    const stored = await api.call('getLeaseDiagnostics', { params }, { signal })
    const target = stringOption(input, 'outputDir')
    const folder = target === undefined ? undefined : join(resolve(cwd, target), plainName(params.id))
    const files = folder === undefined ? [] : writeBundle(folder, await download(), input.options['force'] === true)
    if (format === 'json' || format === 'yaml') {
      await output.data({ ...stored, ...(folder === undefined ? {} : { folder, files }) }, format)
      return 0
    }
    show(context, stored)
    if (folder === undefined) output.note(`kobe diagnostics ${params.id} --output-dir . downloads them`)
    else printFields(context, [['Written', `${files.length} files in ${folder}`]])
    return 0

    async function download() {
      return bundleFiles({ ...(await api.call('downloadLeaseDiagnostics', { params }, { signal })) })
    }
  },
})

function show(context: CommandContext, { lease_id, captured_at, kept_until, bytes, complete }: Stored): void {
  printFields(context, [
    ['Lease', lease_id],
    ['Captured', captured_at],
    ['Kept until', kept_until],
    ['Size', `${bytes} bytes`],
    [
      'Complete',
      complete ? 'yes' : 'no: a bound was reached, or something could not be read; `omitted` in bundle.json says what',
    ],
  ])
}
