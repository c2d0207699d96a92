/** Processes that a crash of `kobe up` has left running: the host and the members. They are stopped; their files stay. */
import { basename } from 'node:path'
import { createEmbeddedBackend } from '../backends/embedded/embedded-backend.ts'
import { createLauncher } from '../backends/embedded/launcher.ts'
import { memberNodeFlags } from '../backends/embedded/node-flags.ts'
import { stopMember } from '../backends/embedded/stop-all.ts'
import { UserError } from '../cli/user-error.ts'
import { systemClock } from '../kube/clock.ts'
import { silentLog } from '../kube/log.ts'
import type { StateDir } from './state-dir.ts'

/** Answers how many processes were running. */
export async function stopLeftovers(dir: StateDir): Promise<number> {
  const common = { clock: systemClock, log: silentLog }
  const backend = createEmbeddedBackend({ stateDir: dir.path, ...common })
  const hosts = createLauncher({ stateDir: dir.path, nodeFlags: memberNodeFlags, ...common })
  const name = basename(dir.host)
  try {
    const members = await backend.stopAll()
    const host = await stopMember(() => hosts.stop(name, 'host'), systemClock)
    const stuck = [...members.stuck, ...(host === 'stuck' ? ['the host API'] : [])]
    if (stuck.length > 0) {
      throw new UserError(`could not stop ${stuck.join(', ')}`, {
        fix: 'look for their processes with `ps`, end them, and run `kobe down` again',
      })
    }
    return members.running + (host === 'stopped' ? 1 : 0)
  } finally {
    await backend.close()
    await hosts.close()
  }
}
