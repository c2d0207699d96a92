/** Run at set-up and before each `npm start`: makes the bundles of the members' programs when they are not current. */
import { join } from 'node:path'
import { bundleFolder, currentBundle, PROGRAMS } from '../../src/backends/embedded/program-bundle.ts'

const root = join(import.meta.dirname, '..', '..')
const folder = bundleFolder(root)

async function main(): Promise<void> {
  if (PROGRAMS.every((program) => currentBundle(folder, program) !== undefined)) return
  const { bundlePrograms } = await import('./bundle-programs.ts')
  await bundlePrograms(root, folder)
}

try {
  await main()
} catch (error) {
  // Only speed is lost.
  const reason = error instanceof Error ? error.message : String(error)
  process.stderr.write(`kobe: members will start from their sources, which takes longer: ${reason}\n`)
}
