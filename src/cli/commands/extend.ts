import { defineCommand, stringOption } from '../define-command.ts'
import { durationOption } from '../duration-option.ts'
import { findLease } from '../find-lease.ts'

export const extendCommand = defineCommand({
  details: 'At most maxExtensions times (2 unless your AccessPolicy says otherwise), and never past its maxTtl.',
  examples: [
    ['kobe extend', 'your only lease, 30 minutes more'],
    ['kobe extend dev --ttl 1h', 'the one called dev'],
  ],
  args: [
    {
      name: 'lease',
      description: 'lease id, alias or pool (default: your only active lease)',
      required: false,
      complete: 'lease',
    },
  ],
  options: [{ flags: '--ttl <duration>', description: 'how much longer, such as 30m', default: '30m' }],
  async run(context, input) {
    durationOption(input, 'ttl')
    const id = await findLease(context, input.args[0])
    const body = { extend_ttl: stringOption(input, 'ttl') ?? '30m' }
    const api = await context.api()
    const { expires_at: expiresAt } = await api.call(
      'extendLease',
      { params: { id }, body },
      { signal: context.signal },
    )
    if (context.format === 'json' || context.format === 'yaml')
      await context.output.data({ leaseId: id, expiresAt }, context.format)
    else context.output.line(`${id} expires ${expiresAt}`)
    return 0
  },
})
