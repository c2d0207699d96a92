import { defineCommand } from '../../define-command.ts'
import { aboutCluster } from '../../nodes/about-cluster.ts'
import { CLUSTER_ARGUMENT } from '../../nodes/cluster-argument.ts'
import { SETTINGS_OPTIONS, settingsOptions, settingsText } from '../../nodes/settings-options.ts'
import { EXIT, UserError } from '../../user-error.ts'

export const setSettingsCommand = defineCommand({
  details: [
    'Only stores what the nodes should be: a rollout brings them to it, `kobe node rollout <cluster>`. What is not named stays as',
    'it is. Refused while an operation holds the cluster, and while it is being destroyed.',
  ].join('\n'),
  examples: [
    ['kobe cluster set prod-1 --group workers --offering large --root-disk 40', 'a larger machine and disk'],
    ['kobe cluster set prod-1 --group worker --affinity a,b', 'for every group of workers'],
    ['kobe cluster set prod-1 --group workers --unset root-disk', 'leave the disks as they are'],
  ],
  args: [CLUSTER_ARGUMENT],
  options: SETTINGS_OPTIONS,
  async run(context, input) {
    const { output, format, signal } = context
    const groups = settingsOptions(input)
    if (groups === undefined) {
      throw new UserError('nothing to store', {
        fix: 'add --group and --offering, --root-disk or --affinity',
        exitCode: EXIT.usage,
      })
    }
    const name = input.args[0] ?? ''
    const stored = { params: { name }, body: { groups } }
    const api = await context.api()
    const cluster = await aboutCluster(name, api.call('setClusterSettings', stored, { signal }))
    if (format === 'json' || format === 'yaml') {
      await output.data(cluster, format)
      return EXIT.ok
    }
    const named = new Set(Object.keys(groups))
    for (const { name, type, settings } of cluster.groups.filter(
      (group) => named.has(group.name) || named.has(group.type),
    )) {
      output.line(`${cluster.name}: ${name} (${type}): ${settingsText(settings) || 'no settings'}`)
    }
    output.note(
      `stored; \`kobe node plan ${cluster.name}\` shows what a rollout would do, \`kobe node rollout ${cluster.name}\` does it`,
    )
    return EXIT.ok
  },
})
