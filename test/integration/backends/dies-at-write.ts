/**
 * A launcher that is killed just before its n-th change of the file system: `node dies-at-write.ts <state folder> <ensure|destroy> <n>`.
 * Ends with code 0 when there was no n-th change.
 */
import fs from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'

const [stateDir = '', task = '', dieAt = ''] = process.argv.slice(2)
let changes = 0

for (const name of ['mkdir', 'open', 'rename', 'rm', 'rmdir'] as const) {
  const original = fs[name] as (...args: unknown[]) => Promise<unknown>
  const counted = (...args: unknown[]) => {
    changes += 1
    if (changes === Number(dieAt)) process.kill(process.pid, 'SIGKILL')
    return original(...args)
  }
  Object.assign(fs, { [name]: counted })
}
syncBuiltinESMExports()

const { createLauncher } = await import('../../../src/backends/embedded/launcher.ts')
const { systemClock } = await import('../../../src/kube/clock.ts')
const { silentLog } = await import('../../../src/kube/log.ts')
const { compileCacheDir } = await import('../../contract/compile-cache.ts')

const launcher = createLauncher({ stateDir, compileCacheDir, clock: systemClock, log: silentLog })
const done = new Promise<void>((resolve, reject) => {
  const look = () => {
    const answer = task === 'ensure' ? ensured() : destroyed()
    answer.then((finished) => (finished ? resolve() : undefined), reject)
  }
  launcher.subscribe(look)
  look()
})

async function ensured(): Promise<boolean> {
  return (await launcher.ensure({ name: 'm1', uid: 'u1', storage: 'sqlite' })).state === 'Running'
}

async function destroyed(): Promise<boolean> {
  return (await launcher.destroy('m1', 'u1')).gone
}

await done
await launcher.close()
