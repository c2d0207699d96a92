/** Whether a text is a schedule as CronJobs take it: five fields, or a word such as `@daily` or `@every 1h30m`. */

interface CronField {
  readonly min: number
  readonly max: number
  readonly names?: readonly string[]
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']

const FIELDS: readonly CronField[] = [
  { min: 0, max: 59 },
  { min: 0, max: 23 },
  { min: 1, max: 31 },
  { min: 1, max: 12, names: MONTHS },
  { min: 0, max: 6, names: WEEKDAYS },
]

const WORDS = ['@yearly', '@annually', '@monthly', '@weekly', '@daily', '@midnight', '@hourly']
const EVERY = /^@every (?:\d+(?:\.\d*)?(?:ns|us|µs|ms|s|m|h))+$/

export function isCronSchedule(schedule: string): boolean {
  if (schedule.startsWith('@')) return WORDS.includes(schedule) || EVERY.test(schedule)
  const parts = schedule.trim().split(/\s+/)
  return parts.length === FIELDS.length && parts.every((part, index) => isField(part, FIELDS[index] as CronField))
}

function isField(text: string, field: CronField): boolean {
  return text.split(',').every((range) => isRange(range, field))
}

/** `*`, `?`, `5`, `1-5`, each with an optional `/step`. */
function isRange(text: string, field: CronField): boolean {
  const [range = '', step, ...more] = text.split('/')
  if (more.length > 0 || (step !== undefined && !/^[1-9]\d{0,3}$/.test(step))) return false
  if (range === '*' || range === '?') return true
  const [low, high, ...others] = range.split('-').map((bound) => boundOf(bound, field))
  if (others.length > 0 || low === undefined) return false
  return range.includes('-') ? high !== undefined && low <= high : true
}

function boundOf(text: string, { min, max, names }: CronField): number | undefined {
  const named = names?.indexOf(text.toLowerCase()) ?? -1
  if (named >= 0) return named + min
  const value = /^\d{1,2}$/.test(text) ? Number(text) : -1
  return value >= min && value <= max ? value : undefined
}
