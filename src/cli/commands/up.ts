import { resolve } from 'node:path'
import { ConfigError, parseLogLevel, parsePort } from '../../config.ts'
import { type CommandContext, type CommandInput, defineCommand, stringOption } from '../define-command.ts'

export const upCommand = defineCommand({
  offline: true,
  details: [
    'Needs no cluster: the host API and every pool member are API servers of Kobe itself.',
    'State is kept in ./.kobe and found again by the next start; Ctrl-C stops everything.',
  ].join('\n'),
  examples: [
    ['kobe up', 'state in ./.kobe, ports 7080 and 7443'],
    ['kobe up --memory', 'nothing on disk'],
    ['kobe up --http-port 8080 --https-port 8443 --state-dir /var/tmp/kobe', 'elsewhere'],
  ],
  options: [
    { flags: '--memory', description: 'keep nothing on disk: host and members live in memory' },
    { flags: '--state-dir <path>', description: 'where state is kept (default: KOBE_STATE_DIR, else ./.kobe)' },
    { flags: '--listen <address>', description: 'address of the HTTPS listener', default: '127.0.0.1' },
    { flags: '--https-port <port>', description: 'port of the HTTPS listener (default 7443; 0: any free one)' },
    {
      flags: '--http-port <port>',
      description: 'port of the plain HTTP listener, loopback only (default 7080; 0: any free one)',
    },
    { flags: '--host-port <port>', description: 'port of the host API (default: any free one, kept afterwards)' },
    { flags: '--host-kubeconfig <path>', description: 'use this API server as the host instead of an embedded one' },
    { flags: '--public-url <url>', description: 'base URL in kubeconfigs (default: the HTTPS listener)' },
    { flags: '--no-pool', description: 'do not make the first pool ci-small' },
    {
      flags: '--simulate-nodes <count>',
      description: 'simulate nodes and workloads on the host API, to try node operations (default: none)',
    },
    {
      flags: '--demo <what>',
      description: '`nodes`: a standing cluster of simulated nodes with workloads, to try node operations on',
    },
    { flags: '--log-level <level>', description: 'debug, info, warn or error (default: KOBE_LOG_LEVEL, else info)' },
  ],
  async run(context, input) {
    const { runUp } = await import('../../up/up.ts')
    await runUp(upOptions(context, input), context)
    return 0
  },
})

export function upOptions(context: CommandContext, input: CommandInput) {
  const port = (name: string, flag: string) => {
    const text = stringOption(input, name)
    return text === undefined ? {} : { [name]: parsePort(text, flag) }
  }
  const level = stringOption(input, 'logLevel')
  const publicUrl = stringOption(input, 'publicUrl')
  const hostKubeconfig = stringOption(input, 'hostKubeconfig')
  const simulateNodes = stringOption(input, 'simulateNodes')
  const demo = stringOption(input, 'demo')
  return {
    stateDir: resolve(context.cwd, stringOption(input, 'stateDir') ?? context.env.stateDir),
    memory: input.options['memory'] === true,
    listen: stringOption(input, 'listen') ?? '127.0.0.1',
    firstPool: input.options['pool'] !== false,
    namespace: context.env.namespace,
    logLevel: level === undefined ? context.env.logLevel : parseLogLevel(level, '--log-level'),
    ...(context.env.syncImage === undefined ? {} : { syncImage: context.env.syncImage }),
    ...(publicUrl === undefined ? {} : { publicUrl }),
    ...(hostKubeconfig === undefined ? {} : { hostKubeconfig: resolve(context.cwd, hostKubeconfig) }),
    ...(simulateNodes === undefined ? {} : { simulateNodes: parseNodeCount(simulateNodes) }),
    ...(demo === undefined ? {} : { demo: parseDemo(demo, simulateNodes) }),
    ...port('httpsPort', '--https-port'),
    ...port('httpPort', '--http-port'),
    ...port('hostPort', '--host-port'),
  }
}

/** The demo brings its own nodes. */
function parseDemo(text: string, simulateNodes: string | undefined): 'nodes' {
  if (simulateNodes !== undefined) throw new ConfigError('--demo brings its own nodes: leave out --simulate-nodes')
  if (text === 'nodes') return text
  throw new ConfigError(`--demo ${text}: there is only \`nodes\``)
}

const MOST_NODES = 500

function parseNodeCount(text: string): number {
  const count = Number(text)
  if (/^\d+$/.test(text) && count <= MOST_NODES) return count
  throw new ConfigError(`--simulate-nodes ${text} is not a number of nodes; use a whole number from 0 to ${MOST_NODES}`)
}
