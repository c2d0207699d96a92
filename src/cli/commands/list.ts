import { defineCommand } from '../define-command.ts'
import { isActive } from '../find-lease.ts'
import { printLeases } from '../lease-table.ts'

export const listCommand = defineCommand({
  examples: [
    ['kobe list', 'what you hold and wait for'],
    ['kobe list --all -o wide', 'also what is over, with reasons and times'],
  ],
  options: [{ flags: '-a, --all', description: 'also leases that are over but not yet cleaned up' }],
  async run(context, input) {
    const { output, format, signal } = context
    const all = await (await context.api()).call('listLeases', {}, { signal })
    const leases = input.options['all'] === true ? all : all.filter(isActive)
    if (format === 'json' || format === 'yaml') await output.data(leases, format)
    else if (leases.length > 0) printLeases(output, format, leases)
    else output.note('You have no leases. `kobe lease <pool>` makes one.')
    return 0
  },
})
