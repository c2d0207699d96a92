import { KOBE_VERSION } from '../../version.ts'
import { defineCommand } from '../define-command.ts'
import { UserError } from '../user-error.ts'
import type { StatusView } from '../wire.ts'

export const versionCommand = defineCommand({
  name: 'version',
  summary: 'Print the version of the CLI and of the endpoint',
  details: 'An endpoint that does not answer is reported, not an error.',
  async run(context) {
    const { endpoint, version } = await endpointVersion(context)
    if (context.format === 'json' || context.format === 'yaml') {
      context.output.data({ cliVersion: KOBE_VERSION, endpoint, endpointVersion: version }, context.format)
      return 0
    }
    context.output.line(`kobe ${KOBE_VERSION}`)
    context.output.line(`${endpoint} ${version}`)
    return 0
  },
})

async function endpointVersion(
  context: Parameters<typeof versionCommand.run>[0],
): Promise<{ endpoint: string; version: string }> {
  let endpoint = 'endpoint'
  try {
    const api = context.api()
    endpoint = api.target.endpoint
    const status = (await api.call('GET', '/v1/status', undefined, context.signal)) as StatusView
    return { endpoint, version: status.version ?? 'unknown' }
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    return { endpoint, version: `unavailable (${error.message})` }
  }
}
