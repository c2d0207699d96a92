import type { PlantedDefect } from './planted-defect.ts'

export const DEFECTS: readonly PlantedDefect[] = []
