/** Every command, in the order of `kobe --help`. */
import type { CommandEntry } from './define-command.ts'

export const COMMANDS: readonly CommandEntry[] = [
  {
    name: 'up',
    summary: 'Run everything here: host API, operator, HTTP API and a first pool',
    load: async () => (await import('./commands/up.ts')).upCommand,
  },
  {
    name: 'down',
    summary: 'Stop what `kobe up` started here',
    load: async () => (await import('./commands/down.ts')).downCommand,
  },
  {
    name: 'status',
    summary: 'Show the endpoint, the pools and your leases',
    load: async () => (await import('./commands/status.ts')).statusCommand,
  },
  {
    name: 'pools',
    summary: 'List the pools you may lease from',
    load: async () => (await import('./commands/pools.ts')).poolsCommand,
  },
  {
    name: 'lease',
    summary: 'Lease a cluster and write its kubeconfig',
    load: async () => (await import('./commands/lease.ts')).leaseCommand,
  },
  {
    name: 'with-lease',
    summary: 'Run a command with a leased cluster, and give it back however that ends',
    load: async () => (await import('./commands/with-lease.ts')).withLeaseCommand,
  },
  {
    name: 'list',
    summary: 'List your leases',
    load: async () => (await import('./commands/list.ts')).listCommand,
  },
  {
    name: 'wait',
    summary: 'Wait for a lease or a pool',
    load: async () => (await import('./commands/wait.ts')).waitCommand,
  },
  {
    name: 'extend',
    summary: 'Keep a leased cluster longer',
    load: async () => (await import('./commands/extend.ts')).extendCommand,
  },
  {
    name: 'release',
    summary: 'Give a leased cluster back',
    load: async () => (await import('./commands/release.ts')).releaseCommand,
  },
  {
    name: 'purge',
    summary: 'Release all your leases and remove their kubeconfigs',
    load: async () => (await import('./commands/purge.ts')).purgeCommand,
  },
  {
    name: 'explain',
    summary: 'Say why a pool or a lease is as it is',
    load: async () => (await import('./commands/explain.ts')).explainCommand,
  },
  {
    name: 'plan',
    summary: 'Show what the operator would do for a pool or a lease now',
    load: async () => (await import('./commands/plan.ts')).planCommand,
  },
  {
    name: 'diagnostics',
    summary: 'Show and download what was kept of the cluster of an ended lease',
    load: async () => (await import('./commands/diagnostics.ts')).diagnosticsCommand,
  },
  {
    name: 'cluster',
    summary: 'Show, describe, start, stop and destroy standing clusters',
    load: async () => (await import('./commands/cluster.ts')).clusterCommand,
  },
  {
    name: 'node',
    summary: 'Roll the nodes of a standing cluster, and watch',
    load: async () => (await import('./commands/node.ts')).nodeCommand,
  },
  {
    name: 'config',
    summary: 'Name endpoints and choose between them',
    load: async () => (await import('./commands/config.ts')).configCommand,
  },
  {
    name: 'operator',
    summary: 'Run the operator against an existing host cluster',
    load: async () => (await import('./commands/operator.ts')).operatorCommand,
  },
  {
    name: 'completion',
    summary: 'Print a completion script for a shell',
    load: async () => (await import('./commands/completion.ts')).completionCommand,
  },
  {
    name: 'version',
    summary: 'Print the version of the CLI and of the endpoint',
    load: async () => (await import('./commands/version.ts')).versionCommand,
  },
]
