import { resolve } from 'node:path'
import { type Environment, parseLogLevel, parsePort } from '../../config.ts'
import { defineCommand, stringOption } from '../define-command.ts'

export const operatorCommand = defineCommand({
  offline: true,
  details: [
    'Several operators may run on one host: one leads, the others serve the HTTP API and take over within 20 s.',
    'Logs are JSON lines on stdout.',
  ].join('\n'),
  examples: [
    [
      'kobe operator --kubeconfig .kobe/host.kubeconfig --state-dir .kobe --https-port 0 --http-port 0',
      'a second one beside `kobe up`',
    ],
  ],
  options: [
    { flags: '--kubeconfig <path>', description: 'host cluster (default: KUBECONFIG, else the pod it runs in)' },
    {
      flags: '--namespace <name>',
      description: 'namespace of all objects (default: OPERATOR_NAMESPACE, else kobe-system)',
    },
    { flags: '--state-dir <path>', description: 'where embedded members live (default: KOBE_STATE_DIR, else ./.kobe)' },
    { flags: '--listen <address>', description: 'address of the HTTPS listener', default: '127.0.0.1' },
    { flags: '--https-port <port>', description: 'port of the HTTPS listener; 0: any free one', default: '7443' },
    {
      flags: '--http-port <port>',
      description: 'port of the plain HTTP listener, loopback only; 0: any free one',
      default: '7080',
    },
    { flags: '--public-url <url>', description: 'base URL in kubeconfigs (default: the HTTPS listener)' },
    { flags: '--no-install-crds', description: 'the CustomResourceDefinitions are installed by somebody else' },
    { flags: '--log-level <level>', description: 'debug, info, warn or error (default: KOBE_LOG_LEVEL, else info)' },
  ],
  async run(context, input) {
    const { runOperatorCommand } = await import('../../up/operator-command.ts')
    const level = stringOption(input, 'logLevel')
    const publicUrl = stringOption(input, 'publicUrl')
    const kubeconfig = stringOption(input, 'kubeconfig') ?? context.env.kubeconfig
    await runOperatorCommand(
      {
        ...(kubeconfig === undefined ? {} : { kubeconfig: resolve(context.cwd, kubeconfig) }),
        inCluster: context.env.inCluster,
        namespace: stringOption(input, 'namespace') ?? context.env.namespace,
        stateDir: resolve(context.cwd, stringOption(input, 'stateDir') ?? context.env.stateDir),
        listen: stringOption(input, 'listen') ?? '127.0.0.1',
        httpsPort: parsePort(stringOption(input, 'httpsPort') ?? '7443', '--https-port'),
        httpPort: parsePort(stringOption(input, 'httpPort') ?? '7080', '--http-port'),
        installCrds: input.options['installCrds'] !== false,
        logLevel: level === undefined ? context.env.logLevel : parseLogLevel(level, '--log-level'),
        ...(publicUrl === undefined ? {} : { publicUrl }),
        ...fromEnvironment(context.env),
      },
      context.signal,
    )
    return 0
  },
})

/** What no flag says. */
const fromEnvironment = ({ syncImage, nodeName }: Environment): Pick<Environment, 'syncImage' | 'nodeName'> => ({
  ...(syncImage === undefined ? {} : { syncImage }),
  ...(nodeName === undefined ? {} : { nodeName }),
})
