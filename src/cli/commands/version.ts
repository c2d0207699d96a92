import { KobeError } from '../../client/errors.ts'
import { KOBE_VERSION } from '../../version.ts'
import { type CommandContext, defineCommand } from '../define-command.ts'

export const versionCommand = defineCommand({
  details: 'An endpoint that does not answer is reported, not an error.',
  examples: [['kobe version -o json', 'for a script']],
  async run(context) {
    const { output, format } = context
    const found = await endpointVersion(context)
    if (format === 'json' || format === 'yaml') {
      await output.data({ cliVersion: KOBE_VERSION, ...found }, format)
      return 0
    }
    output.line(`kobe ${KOBE_VERSION}`)
    output.line(`${found.target === undefined ? '' : `${found.target} `}${found.endpoint} ${found.endpointVersion}`)
    return 0
  },
})

interface Found {
  readonly target?: string
  readonly endpoint: string
  readonly endpointVersion: string
}

async function endpointVersion(context: CommandContext): Promise<Found> {
  let found = { endpoint: 'endpoint' }
  try {
    const { target, call } = await context.api()
    found = { endpoint: target.endpoint, ...(target.name === undefined ? {} : { target: target.name }) }
    return { ...found, endpointVersion: (await call('getStatus', {}, { signal: context.signal })).version }
  } catch (error) {
    if (!(error instanceof KobeError)) throw error
    return { ...found, endpointVersion: `unavailable (${error.message})` }
  }
}
