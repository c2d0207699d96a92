/** A few cells in every test run; `npm run e2e -- drain` plays a hundred. */
import { drainSample } from '../../support/drain-sample-suite.ts'

drainSample(9)
