/**
 * One script of kubectl commands, run against our control plane and against a real kube-apiserver: both print what the
 * recordings of a real one hold (record.ts), but for what the reference of differences tells.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ON_REAL_HOST } from '../../support/kobe.ts'
import { hasKubectl } from '../../support/run.ts'
import { type Outcome, openStage, type Stage } from './play.ts'
import { readRecording } from './recording.ts'
import { SERVER_KINDS, type Server } from './servers.ts'
import type { Step } from './step.ts'
import { TOPICS } from './topics/index.ts'

const PLAY_TIMEOUT_MS = 600_000

/** All commands against the real server too only where it is asked for (`npm run e2e -- --host real`): they take a minute. */
const KINDS = SERVER_KINDS.filter(({ isReal }) => !isReal || ON_REAL_HOST)

describe.each(KINDS)('kubectl against $name', ({ isReal, isMissing, start }) => {
  describe.skipIf(isMissing || !hasKubectl)('prints what it prints against a real one', () => {
    let server: Server
    let stage: Stage
    let outcomes: ReadonlyMap<string, readonly Outcome[]>
    beforeAll(async () => {
      server = await start()
      stage = await openStage(server)
      outcomes = await stage.play(TOPICS)
    }, PLAY_TIMEOUT_MS)
    afterAll(async () => {
      await stage?.close()
      await server?.stop()
    })

    describe.each(TOPICS)('$name', (topic) => {
      let recorded: readonly Outcome[]
      beforeAll(async () => {
        recorded = await readRecording(topic.name)
      })

      test.each(topic.steps.map((step, index) => ({ ...step, index })))('$run', ({ index, ...step }) => {
        judge(step, { isReal, outcome: outcomes.get(topic.name)?.[index], recorded: recorded[index] })
      })
    })
  })
})

interface Answers {
  readonly isReal: boolean
  readonly outcome: Outcome | undefined
  readonly recorded: Outcome | undefined
}

function judge(step: Step, { isReal, outcome, recorded }: Answers): void {
  expect(outcome).toBeDefined()
  expect(recorded?.run).toBe(step.run)
  if (!isReal && step.waiting !== undefined) return
  if (!isReal && step.differs !== undefined) expect(outcome, `no longer differs: ${step.differs}`).not.toEqual(recorded)
  else expect(outcome).toEqual(recorded)
}
