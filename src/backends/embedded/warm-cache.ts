/** Fills the compile cache of members, so that the first real one starts as fast as the later ones. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startHost } from './host-process.ts'

/** Starts one control plane in a temporary folder and destroys it. For set-up time; takes about a second. */
export async function warmMemberCache(compileCacheDir: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'kobe-warm-'))
  try {
    const host = await startHost({
      stateDir: join(folder, 'member'),
      storage: 'sqlite',
      compileCacheDir,
      timeoutMs: 60_000,
    })
    await host.destroy()
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
