import { defineCommand, stringOption } from '../define-command.ts'
import { findLease } from '../find-lease.ts'

export const extendCommand = defineCommand({
  name: 'extend',
  summary: 'Keep a leased cluster longer',
  details: 'At most maxExtensions times (2 unless your AccessPolicy says otherwise), and never past its maxTtl.',
  args: [{ name: 'lease', description: 'lease id, alias or pool (default: your only active lease)', required: false }],
  options: [{ flags: '--ttl <duration>', description: 'how much longer, such as 30m', default: '30m' }],
  async run(context, input) {
    const id = await findLease(context, input.args[0])
    const body = { extend_ttl: stringOption(input, 'ttl') ?? '30m' }
    const answer = (await context
      .api()
      .call('PATCH', `/v1/leases/${encodeURIComponent(id)}`, body, context.signal)) as {
      expires_at?: string
    }
    const expiresAt = answer.expires_at ?? ''
    if (context.format === 'json' || context.format === 'yaml')
      context.output.data({ leaseId: id, expiresAt }, context.format)
    else context.output.line(`${id} expires ${expiresAt}`)
    return 0
  },
})
