import { errorOf } from '../api-client.ts'
import { defineCommand } from '../define-command.ts'
import { findLease } from '../find-lease.ts'
import { createLeaseFiles } from '../lease-files.ts'

export const releaseCommand = defineCommand({
  name: 'release',
  summary: 'Give a leased cluster back',
  details: 'Releasing what is already gone is not an error. The kubeconfig that `kobe lease` wrote is removed.',
  args: [{ name: 'lease', description: 'lease id, alias or pool (default: your only active lease)', required: false }],
  async run(context, input) {
    const id = await findLease(context, input.args[0])
    const response = await context
      .api()
      .send('DELETE', `/v1/leases/${encodeURIComponent(id)}`, undefined, context.signal)
    if (response.status >= 400 && response.status !== 404) throw errorOf(response, context.api().target)
    const status = response.status === 404 ? 'not_found' : 'released'
    const removed = createLeaseFiles(context.env, context.api().target.endpoint).remove(id)
    if (context.format === 'json' || context.format === 'yaml') {
      context.output.data(
        { leaseId: id, status, ...(removed === undefined ? {} : { removedKubeconfig: removed }) },
        context.format,
      )
      return 0
    }
    context.output.line(status === 'released' ? `${id} released` : `${id} was already gone`)
    if (removed !== undefined) context.output.note(`removed ${removed}`)
    return 0
  },
})
