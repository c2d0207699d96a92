import type { Topic } from '../step.ts'
import { access } from './access.ts'
import { apply } from './apply.ts'
import { change } from './change.ts'
import { create } from './create.ts'
import { remove } from './delete.ts'
import { describe } from './describe.ts'
import { discover } from './discover.ts'
import { nodes } from './nodes.ts'
import { read } from './read.ts'
import { refusals } from './refusals.ts'
import { serverSide } from './server-side.ts'
import { watch } from './watch.ts'
import { workloads } from './workloads.ts'

export const TOPICS: readonly Topic[] = [
  read,
  watch,
  describe,
  create,
  apply,
  serverSide,
  change,
  workloads,
  discover,
  remove,
  nodes,
  access,
  refusals,
]
