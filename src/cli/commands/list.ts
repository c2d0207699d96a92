import { defineCommand } from '../define-command.ts'
import { LEASE_HEADER, leaseRow } from '../lease-table.ts'
import { asList, type LeaseView } from '../wire.ts'

export const listCommand = defineCommand({
  name: 'list',
  summary: 'List your leases',
  async run(context) {
    const body = await context.api().call('GET', '/v1/leases', undefined, context.signal)
    if (context.format === 'json' || context.format === 'yaml') {
      context.output.data(body, context.format)
      return 0
    }
    const leases = asList<LeaseView>(body)
    if (leases.length === 0) context.output.note('You have no leases. `kobe lease <pool>` makes one.')
    else context.output.table(LEASE_HEADER, leases.map(leaseRow))
    return 0
  },
})
