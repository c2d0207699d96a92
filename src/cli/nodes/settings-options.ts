/** Settings of node groups on the command line. */
import type { Input } from '../../client/api.ts'
import { type CommandInput, listOption, type OptionDefinition, stringOption } from '../define-command.ts'
import { EXIT, UserError } from '../user-error.ts'

export type SettingsByGroup = NonNullable<Input<'planRolloutOfSettings'>['body']['settings']>
type Settings = SettingsByGroup[string]

/** As they are typed, and as they are called on the wire. */
const FIELDS = { offering: 'offering', 'root-disk': 'rootDiskSizeGB', affinity: 'affinityGroups' } as const

export const SETTINGS_OPTIONS: readonly OptionDefinition[] = [
  {
    flags: '--group <group>',
    description: 'the group that the settings are for, or a type: control, worker or etcd; may be repeated',
    repeatable: true,
    complete: 'group',
  },
  { flags: '--offering <name>', description: 'size of the machines, as their provider calls it' },
  { flags: '--root-disk <GB>', description: 'size of the root disks in GB; disks grow and never shrink' },
  { flags: '--affinity <groups>', description: 'affinity groups, all of them, separated by commas; empty: none' },
  {
    flags: '--unset <setting>',
    description: 'the group says nothing of this setting any more; may be repeated',
    repeatable: true,
    choices: Object.keys(FIELDS),
  },
]

/** Undefined when no setting was given. */
export function settingsOptions(input: CommandInput): SettingsByGroup | undefined {
  const settings = settingsOf(input)
  const groups = listOption(input, 'group')
  if (Object.keys(settings).length === 0) {
    if (groups.length === 0) return undefined
    throw usage('--group names a group, and no setting is given for it', 'add --offering, --root-disk or --affinity')
  }
  if (groups.length > 0) return Object.fromEntries(groups.map((group) => [group, settings]))
  throw usage('which group are the settings for?', 'add --group <name>, or --group worker for all groups of workers')
}

function settingsOf(input: CommandInput): Settings {
  const offering = stringOption(input, 'offering')
  const rootDisk = stringOption(input, 'rootDisk')
  const affinity = stringOption(input, 'affinity')
  return {
    ...unsetOf(input),
    ...(offering === undefined ? {} : { offering }),
    ...(rootDisk === undefined ? {} : { rootDiskSizeGB: gigabytes(rootDisk) }),
    ...(affinity === undefined ? {} : { affinityGroups: commaList(affinity) }),
  }
}

function unsetOf(input: CommandInput): Settings {
  const names = new Set(listOption(input, 'unset'))
  return Object.fromEntries(
    Object.entries(FIELDS)
      .filter(([name]) => names.has(name))
      .map(([, field]) => [field, null]),
  )
}

function gigabytes(text: string): number {
  if (/^[1-9]\d{0,6}$/.test(text)) return Number(text)
  throw usage(`--root-disk ${text} is not a size`, 'write a whole number of GB, such as 40')
}

const commaList = (text: string): string[] =>
  text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')

const usage = (message: string, fix: string): UserError => new UserError(message, { fix, exitCode: EXIT.usage })

/** `offering large, root disk 40 GB, affinity groups a and b`. */
export function settingsText({ offering, rootDiskSizeGB, affinityGroups, image }: Settings): string {
  const parts = [
    [offering, `offering ${offering}`],
    [rootDiskSizeGB, `root disk ${rootDiskSizeGB} GB`],
    [affinityGroups, `affinity groups ${affinityGroups?.length === 0 ? 'none' : affinityGroups?.join(', ')}`],
    [image, `image ${image}`],
  ] as const
  return parts.flatMap(([value, text]) => (value === undefined || value === null ? [] : [text])).join(', ')
}
