import { DONE } from '../step-result.ts'
import type { Gate } from './gate.ts'

/** Passes when all addons are applied: gates are looked at only then. */
export const addonsReady: Gate = async () => DONE
