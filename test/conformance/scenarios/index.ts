/** All scenarios, in the order in which they are sent. */
import type { Scenario } from '../scenario.ts'
import { accessScenarios } from './access.ts'
import { applyScenarios } from './apply.ts'
import { builtinScenarios } from './builtin.ts'
import { crudScenarios } from './crud.ts'
import { customScenarios } from './custom.ts'
import { discoveryScenarios } from './discovery.ts'
import { flowScenarios } from './flows.ts'
import { lifecycleScenarios } from './lifecycle.ts'
import { listScenarios } from './lists.ts'
import { watchScenarios } from './watches.ts'

export const SCENARIOS: readonly Scenario[] = [
  ...discoveryScenarios,
  ...crudScenarios,
  ...listScenarios,
  ...lifecycleScenarios,
  ...builtinScenarios,
  ...customScenarios,
  ...watchScenarios,
  ...applyScenarios,
  ...flowScenarios,
  ...accessScenarios,
]
