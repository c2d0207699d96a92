/** Renderers of the backends whose clusters this version cannot run (docs/adr/0004-render-before-run.md). */
import type { BackendRenderer } from './backend.ts'
import { k3sRenderer } from './k3s/k3s-renderer.ts'
import { vkobeRenderer } from './vkobe/vkobe-renderer.ts'

export const RENDERERS: readonly BackendRenderer[] = [k3sRenderer, vkobeRenderer]
