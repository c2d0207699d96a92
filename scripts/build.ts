/** Compiles `src` to `dist` for publishing: Node strips types everywhere but below node_modules. */
import { execFileSync } from 'node:child_process'
import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '..')
const DIST = join(ROOT, 'dist')

rmSync(DIST, { recursive: true, force: true })
execFileSync('tsc', ['-p', 'tsconfig.build.json'], { cwd: ROOT, stdio: 'inherit' })
// What the code reads at run time beside itself: tables of built-in kinds.
cpSync(join(ROOT, 'src', 'control-plane', 'generated'), join(DIST, 'control-plane', 'generated'), { recursive: true })
