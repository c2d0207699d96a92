/** Run once at set-up: compiled code of the members, so that the first start is as fast as the later ones. */
import { warmMemberCache } from '../src/backends/embedded/warm-cache.ts'
import { compileCacheDir } from '../src/up/compile-cache.ts'

await warmMemberCache(compileCacheDir('.kobe'))
