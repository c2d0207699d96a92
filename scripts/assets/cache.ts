/** Where programs for tests are kept once built: the user's cache folder, which all checkouts share. Git never sees it. */
import { homedir } from 'node:os'
import { join } from 'node:path'

/** `name` says what is in it and of which version. */
export function sharedCache(name: string): string {
  const cache = process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache')
  return join(cache, 'kobe', 'assets', name)
}
