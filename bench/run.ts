/** `npm run bench -- <name>`: one measurement as a command; JSON on stdout, what it does on stderr. */
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

const [name = '', ...args] = process.argv.slice(2)
const file = join(import.meta.dirname, `${name}.ts`)
if (!/^[a-z-]+$/.test(name) || name === 'run' || !existsSync(file)) {
  const names = readdirSync(import.meta.dirname).filter((entry) => entry.endsWith('.ts') && entry !== 'run.ts')
  console.error(`usage: npm run bench -- <${names.map((entry) => entry.replace(/\.ts$/, '')).join('|')}>`)
  process.exitCode = 2
} else {
  process.exitCode = spawnSync(process.execPath, [file, ...args], { stdio: 'inherit' }).status ?? 1
}
