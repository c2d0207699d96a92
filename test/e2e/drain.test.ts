/** The drain grid against the real `kubectl drain`: the same end for a hundred cells. */
import { drainSample } from '../support/drain-sample-suite.ts'

drainSample(process.env['KOBE_E2E_LONG'] === '1' ? 100 : 0)
