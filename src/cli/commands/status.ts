import { defineCommand } from '../define-command.ts'
import { LEASE_HEADER, leaseRow } from '../lease-table.ts'
import { POOL_HEADER, poolRow } from '../pool-table.ts'
import { asList, type LeaseView, type PoolView, type StatusView } from '../wire.ts'

export const statusCommand = defineCommand({
  name: 'status',
  summary: 'Show the endpoint, the pools and your leases',
  async run(context) {
    const api = context.api()
    const [status, pools, leases] = await Promise.all([
      api.call('GET', '/v1/status', undefined, context.signal) as Promise<StatusView>,
      api.call('GET', '/v1/pools', undefined, context.signal).then(asList<PoolView>),
      api.call('GET', '/v1/leases', undefined, context.signal).then(asList<LeaseView>),
    ])
    const { output, format } = context
    if (format === 'json' || format === 'yaml') {
      output.data(
        { endpoint: api.target.endpoint, endpointVersion: status.version, auth: status.auth, pools, leases },
        format,
      )
      return 0
    }
    const who = status.auth?.sessions?.[0]?.identity ?? 'anonymous'
    output.line(`${output.dim('Endpoint'.padEnd(12))}${api.target.endpoint} (from ${api.target.source})`)
    output.line(`${output.dim('Version'.padEnd(12))}${status.version ?? 'unknown'}`)
    output.line(`${output.dim('You'.padEnd(12))}${who}`)
    output.line()
    if (pools.length === 0) output.line('No pools.')
    else output.table(POOL_HEADER, pools.map(poolRow))
    output.line()
    if (leases.length === 0) output.line('You have no leases.')
    else output.table(LEASE_HEADER, leases.map(leaseRow))
    return 0
  },
})
