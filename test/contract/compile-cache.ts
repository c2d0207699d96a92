import { join } from 'node:path'

/** One for all tests on this machine: the first start of a member fills it, later ones are quick. */
export const compileCacheDir = join(import.meta.dirname, '../../node_modules/.cache/kobe-members')
