/** The node groups of a standing cluster, and the settings that their nodes should have. */
import { type Static, Type } from '@sinclair/typebox'
import {
  choice,
  count,
  DNS_LABEL,
  defaulted,
  keyedList,
  list,
  name,
  object,
  optional,
  stringMap,
  withRules,
} from '../field.ts'

export const NODE_TYPES = ['control', 'worker', 'etcd'] as const
export type NodeType = (typeof NODE_TYPES)[number]

/** As text: a whole number of at least 1, or a percentage from 1 % to 100 %. */
const AMOUNT = '^([1-9][0-9]{0,4}|([1-9][0-9]?|100)%)$'

/** So many nodes, or such a share of a group: `2` or `10%`. */
export const amount = (description: string) =>
  Type.Unsafe<number | string>({
    'x-kubernetes-int-or-string': true,
    anyOf: [{ type: 'integer' }, { type: 'string' }],
    minimum: 1,
    pattern: AMOUNT,
    maxLength: 5,
    description,
  })

const NAMES = { maxItems: 512 }

export const NodeSelectorSchema = object('Which nodes: those that fit every part that is given.', {
  matchLabels: optional(stringMap('Labels that the Node has.')),
  zones: optional(list('Zones, one of which the machine is in.', name('One zone.'), { maxItems: 64 })),
  names: optional(list('Names, one of which the Node or the machine has.', name('One name.'), NAMES)),
})

export const NodeSettingsSchema = object(
  'What every node of the group should have. What is left out is left as it is.',
  {
    offering: optional(name('Size of the machine, as its provider calls it.', { maxLength: 256 })),
    rootDiskSizeGB: optional(count('Size of the root disk in GB. Disks grow and never shrink.', { minimum: 1 })),
    affinityGroups: optional(
      list(
        'Affinity groups of the machine, all of them. Groups that dedicate hosts to an account are not named here, not compared, and kept.',
        name('One group.', { maxLength: 256 }),
        { maxItems: 64 },
      ),
    ),
    image: optional(name('Image of the machine. Only a replacement changes it, never a restart.', { maxLength: 512 })),
  },
)

const NodeGroupSchema = withRules(
  object('Nodes of one type that are kept alike.', {
    name: name('Name of the group.', { pattern: DNS_LABEL, maxLength: 63 }),
    type: choice(NODE_TYPES, 'What the nodes do. `etcd`: machines of an external etcd, which have no Node.'),
    selector: defaulted(NodeSelectorSchema, {}),
    settings: defaulted(NodeSettingsSchema, {}),
    maxUnavailable: defaulted(
      amount(
        'Most nodes of the group that may be unavailable at a time, whatever the cause: a number, or a percentage (`10%`, rounded down, at least 1). Control and etcd nodes always go one at a time.',
      ),
      1,
    ),
  }),
  [
    {
      rule: "self.type == 'worker' || type(self.maxUnavailable) == int && self.maxUnavailable == 1",
      message: 'maxUnavailable of control and etcd nodes is 1: more at a time would put the quorum at risk',
      reason: 'FieldValueForbidden',
      fieldPath: '.maxUnavailable',
    },
    {
      rule: "self.type != 'etcd' || !has(self.selector.matchLabels)",
      message: 'machines of an external etcd have no Node and so no labels: select them by zones or names',
      reason: 'FieldValueForbidden',
      fieldPath: '.selector',
    },
  ],
)

export const NodeGroupsSchema = keyedList(
  'The groups. A node belongs to the first group that fits it; one that fits none is left alone.',
  NodeGroupSchema,
  ['name'],
  { minItems: 1, maxItems: 64 },
)

export type NodeSelector = Static<typeof NodeSelectorSchema>
export type NodeSettings = Static<typeof NodeSettingsSchema>
export type NodeGroup = Static<typeof NodeGroupSchema>
