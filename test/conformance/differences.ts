/** Where two transcripts differ, in words. The order of members does not matter, that of list items and events does. */
import type { Transcript } from './run-scenario.ts'

export function differences(recorded: Transcript, answered: Transcript | undefined): string[] {
  if (answered === undefined) return ['no answer']
  const found: string[] = []
  compare(JSON.parse(JSON.stringify(recorded)), JSON.parse(JSON.stringify(answered)), '', found)
  return found
}

function compare(recorded: unknown, answered: unknown, path: string, found: string[]): void {
  if (Array.isArray(recorded) && Array.isArray(answered)) {
    const length = Math.max(recorded.length, answered.length)
    for (let index = 0; index < length; index++) compare(recorded[index], answered[index], `${path}[${index}]`, found)
  } else if (isObject(recorded) && isObject(answered)) {
    for (const name of new Set([...Object.keys(recorded), ...Object.keys(answered)])) {
      compare(recorded[name], answered[name], `${path}.${name}`, found)
    }
  } else if (recorded !== answered) {
    found.push(`${path}: real ${shown(recorded)}, ours ${shown(answered)}`)
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function shown(value: unknown): string {
  return value === undefined ? 'nothing' : JSON.stringify(value)
}
