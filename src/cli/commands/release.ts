import { releaseLease } from '../../client/lease-cluster.ts'
import { defineCommand } from '../define-command.ts'
import { findLease } from '../find-lease.ts'
import { createLeaseFiles } from '../lease-files.ts'

export const releaseCommand = defineCommand({
  details: 'Releasing what is already gone is not an error. The kubeconfig that `kobe lease` wrote is removed.',
  examples: [
    ['kobe release', 'your only lease'],
    ['kobe release dev', 'the one called dev'],
  ],
  args: [
    {
      name: 'lease',
      description: 'lease id, alias or pool (default: your only active lease)',
      required: false,
      complete: 'lease',
    },
  ],
  async run(context, input) {
    const { output, format, signal } = context
    const api = await context.api()
    const id = await findLease(context, input.args[0])
    const status = (await releaseLease(api, id, signal)) ? 'released' : 'not_found'
    const removed = await createLeaseFiles(context.env, api.target.endpoint).remove(id)
    if (format === 'json' || format === 'yaml') {
      await output.data(
        { leaseId: id, status, ...(removed === undefined ? {} : { removedKubeconfig: removed }) },
        format,
      )
      return 0
    }
    output.line(status === 'released' ? `${id} released` : `${id} was already gone`)
    if (removed !== undefined) output.note(`removed ${removed}`)
    return 0
  },
})
