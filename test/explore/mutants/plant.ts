/**
 * The seam: a hook of the module loader changes the source of one file between disk and runtime. Nothing in src knows of it.
 * Must run before the file is loaded for the first time in this thread.
 */
import { registerHooks } from 'node:module'
import type { PlantedDefect } from './planted-defect.ts'

/** Answers a function that throws when the defect was not planted: its file was never loaded. */
export function plant({ name, file, find, replace }: PlantedDefect): () => void {
  const url = new URL(`../../../${file}`, import.meta.url).href
  let planted = false
  registerHooks({
    load(address, context, nextLoad) {
      const loaded = nextLoad(address, context)
      if (address !== url) return loaded
      const source = String(loaded.source)
      const found = source.split(find).length - 1
      if (found !== 1) throw new Error(`defect "${name}": its text occurs ${found} times in ${file}, not once`)
      planted = true
      // A function, as `$` means something in a replacement text.
      return { ...loaded, source: source.replace(find, () => replace) }
    },
  })
  return () => {
    if (!planted) throw new Error(`defect "${name}": ${file} was not loaded`)
  }
}
