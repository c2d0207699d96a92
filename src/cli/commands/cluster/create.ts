import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import {
  type CommandContext,
  type CommandInput,
  defineCommand,
  listOption,
  stringOption,
} from '../../define-command.ts'
import { aboutCluster } from '../../nodes/about-cluster.ts'
import { type ClusterDescription, readDescription } from '../../nodes/cluster-file.ts'
import { printClusters } from '../../nodes/cluster-table.ts'
import { EXIT, UserError } from '../../user-error.ts'

const TYPES = ['control', 'worker', 'etcd'] as const
const PROVIDERS = ['simulated', 'cloudstack', 'awsAutoScaling', 'clusterApi'] as const
type GroupType = (typeof TYPES)[number]

export const createClusterCommand = defineCommand({
  details: [
    'Makes the description of a cluster that exists already, so that its nodes are looked after. Nothing is done to it. What the',
    'options do not say comes from --file: a ManagedCluster, or only its spec, in YAML or JSON; docs/reference/kinds.md has every',
    'field. Without any group there are `control` and `workers`.',
    '',
    'A kubeconfig is kept in a Secret and never shown again. One that runs programs, signs in through a provider, or names files is',
    'refused: `kubectl config view --flatten --minify --raw` writes one that holds everything itself.',
  ].join('\n'),
  examples: [
    ['kobe cluster create prod-1 --kubeconfig ./prod-1.yaml --file ./prod-1-cluster.yaml', 'with provider and groups'],
    ['kobe cluster create here --in-cluster --provider simulated', 'the cluster that the operator runs in'],
    ['kobe cluster create prod-2 --kubeconfig-secret prod-2 --file ./c.yaml --group big=worker', 'one group more'],
  ],
  args: [{ name: 'cluster', description: 'name of the cluster; a DNS label', required: true }],
  options: [
    { flags: '-f, --file <path>', description: 'a ManagedCluster or its spec, YAML or JSON', complete: 'file' },
    { flags: '--kubeconfig <path>', description: 'kubeconfig of the cluster; `-`: stdin', complete: 'file' },
    { flags: '--kubeconfig-secret <name>', description: 'a Secret that holds it under the key kubeconfig, instead' },
    { flags: '--in-cluster', description: 'it is the cluster that the operator runs in, instead' },
    {
      flags: '--api-server <url>',
      description: 'another API server of it, tried while the first is down; may be repeated',
      repeatable: true,
    },
    {
      flags: '--provider <type>',
      description: 'what runs its machines',
      choices: PROVIDERS,
    },
    {
      flags: '--group <name=type>',
      description: `a group of nodes; the type is one of ${TYPES.join(', ')}; may be repeated`,
      repeatable: true,
    },
  ],
  async run(context, input) {
    const { output, format, signal } = context
    const body = await bodyOf(context, input)
    const api = await context.api()
    const cluster = await aboutCluster(body.name, api.call('createCluster', { body }, { signal }))
    if (format === 'json' || format === 'yaml') await output.data(cluster, format)
    else printClusters(context, [cluster])
    return EXIT.ok
  },
})

async function bodyOf({ cwd }: CommandContext, input: CommandInput): Promise<ClusterDescription> {
  const file = stringOption(input, 'file')
  const { kubeconfig, kubeconfigSecret, inCluster, ...described } =
    file === undefined ? {} : await readDescription(resolve(cwd, file))
  const endpoints = listOption(input, 'apiServer')
  return {
    ...described,
    ...(givenConnection(input, cwd) ?? describedConnection({ kubeconfig, kubeconfigSecret, inCluster })),
    ...(endpoints.length === 0 ? {} : { endpoints: [...endpoints] }),
    name: input.args[0] ?? '',
    provider: providerOf(input, described.provider),
    nodeGroups: groupsOf(input, described.nodeGroups ?? []),
  }
}

type Provider = ClusterDescription['provider']

/** Settings of one provider are none of another. */
function providerOf(input: CommandInput, described: Provider | undefined): Provider {
  const type = PROVIDERS.find((known) => known === stringOption(input, 'provider'))
  if (type !== undefined) return described?.type === type ? described : { type }
  if (described !== undefined) return described
  throw usage('what runs its machines?', 'add --provider, or `provider` to --file')
}

type Connection = Pick<ClusterDescription, 'kubeconfig' | 'kubeconfigSecret' | 'inCluster'>
type Nullable<T> = { readonly [K in keyof T]: T[K] | undefined }

function describedConnection({ kubeconfig, kubeconfigSecret, inCluster }: Nullable<Connection>): Connection {
  if (kubeconfig !== undefined) return { kubeconfig }
  if (kubeconfigSecret !== undefined) return { kubeconfigSecret }
  if (inCluster === true) return { inCluster }
  throw usage('how is the cluster reached?', 'add --kubeconfig, --kubeconfig-secret or --in-cluster')
}

/** Options go before the file. */
function givenConnection(input: CommandInput, cwd: string): Connection | undefined {
  const path = stringOption(input, 'kubeconfig')
  const secret = stringOption(input, 'kubeconfigSecret')
  const isInside = input.options['inCluster'] === true
  const given = [path !== undefined, secret !== undefined, isInside].filter(Boolean)
  if (given.length > 1) throw usage('the connection is given twice', 'keep one of the options')
  if (path !== undefined) return { kubeconfig: readKubeconfig(path, cwd) }
  if (secret !== undefined) return { kubeconfigSecret: secret }
  return isInside ? { inCluster: true } : undefined
}

function readKubeconfig(path: string, cwd: string): string {
  try {
    return readFileSync(path === '-' ? 0 : resolve(cwd, path), 'utf8')
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : undefined
    throw new UserError(`--kubeconfig ${path} cannot be read`, { why, fix: 'name a file that you can read', cause })
  }
}

function groupsOf(input: CommandInput, described: ClusterDescription['nodeGroups']): ClusterDescription['nodeGroups'] {
  const groups = [...described, ...listOption(input, 'group').map(groupOf)]
  if (groups.length > 0) return groups
  return [
    { name: 'control', type: 'control' },
    { name: 'workers', type: 'worker' },
  ]
}

function groupOf(text: string): ClusterDescription['nodeGroups'][number] {
  const [name = '', type = ''] = text.split('=', 2)
  const known = TYPES.find((one): one is GroupType => one === type)
  if (known !== undefined && name !== '') return { name, type: known }
  throw usage(`--group ${text} is not a name and a type`, 'write it like --group workers=worker')
}

const usage = (message: string, fix: string): UserError => new UserError(message, { fix, exitCode: EXIT.usage })
