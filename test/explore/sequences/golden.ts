/** Golden logs: compared by tests, written anew by `npm run explore -- pools --update`. */
import { readFileSync, writeFileSync } from 'node:fs'
import { type Scenario, tell } from './scenario.ts'

const fileOf = (name: string): URL => new URL(`../golden/${name}.log`, import.meta.url)

export const goldenOf = ({ name }: Scenario): string => readFileSync(fileOf(name), 'utf8')

export const writeGolden = (scenario: Scenario): void => writeFileSync(fileOf(scenario.name), tell(scenario).log)
