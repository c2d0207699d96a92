/** `node test/integration/control-plane/record-apply.ts` records what a real API server answers to the apply cases. */
import { writeFile } from 'node:fs/promises'
import { startRealPair } from '../../support/real-pair.ts'
import { APPLY_CASES, type Golden, prepare, senderTo } from './apply-cases.ts'
import { runCase, type StepAnswer } from './apply-steps.ts'

const pair = await startRealPair()
try {
  const send = senderTo(pair)
  const version = await send({ method: 'GET', path: '/version', contentType: 'application/json', body: undefined })
  await prepare(send)
  const answers: Record<string, StepAnswer[]> = {}
  for (const applyCase of APPLY_CASES) answers[applyCase.name] = await runCase(applyCase, send)
  const golden: Golden = { server: version.body['gitVersion'], answers }
  const lines = Object.entries(golden.answers).map(
    ([name, given]) => `${JSON.stringify(name)}:${JSON.stringify(given)}`,
  )
  const text = `{"server":${JSON.stringify(golden.server)},"answers":{\n${lines.join(',\n')}\n}}\n`
  await writeFile(new URL('./apply.fixture.json', import.meta.url), text)
} finally {
  await pair.stop()
}
