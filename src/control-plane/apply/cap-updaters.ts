/** Bounds the list: the oldest writers are remembered together, as `ancient-changes`. */
import { unionOf } from './field-set.ts'
import { compareTexts, Manager, type ManagerId, type Managers, managerKey, secondsOf } from './managed-fields.ts'

/** How many entries of updates are kept apart. Appliers are not counted: they must find their entry again. */
const MAX_UPDATERS = 10
const BUCKET = 'ancient-changes'

export function capUpdaters(managers: Managers): Managers {
  const updaters = [...managers].filter(([, manager]) => !manager.applied)
  let excess = updaters.length - MAX_UPDATERS
  if (excess <= 0) return managers
  const capped: Managers = new Map(managers)
  // The first of a version waits for a second one: only two make a bucket.
  const firsts = new Map<string, string>()
  for (const [key, updater] of updaters.sort(byAge)) {
    if (excess <= 0) break
    const first = firsts.get(updater.apiVersion)
    if (first === undefined) firsts.set(updater.apiVersion, key)
    else {
      pour(capped, updater, { key, first })
      excess -= 1
    }
  }
  return capped
}

function byAge([leftKey, left]: [string, Manager], [rightKey, right]: [string, Manager]): number {
  return secondsOf(left.time) - secondsOf(right.time) || compareTexts(leftKey, rightKey)
}

function pour(managers: Managers, updater: Manager, { key, first }: { key: string; first: string }): void {
  const id: ManagerId = { manager: BUCKET, operation: 'Update', apiVersion: updater.apiVersion, subresource: '' }
  const bucketKey = managerKey(id)
  const bucket = managers.get(bucketKey) ?? managers.get(first)
  if (!managers.has(bucketKey)) managers.delete(first)
  managers.delete(key)
  managers.set(
    bucketKey,
    new Manager(id, updater.time, bucket === undefined ? updater.set : unionOf(updater.set, bucket.set)),
  )
}
