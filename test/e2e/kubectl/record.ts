/**
 * Records what a real kube-apiserver answers: `node test/e2e/kubectl/record.ts [topic...]`. Needs the programs of
 * `npm run assets` and kubectl; never asks our own server.
 */
import { KUBECTL, ok } from '../../support/run.ts'
import { say } from '../../support/say.ts'
import { openStage } from './play.ts'
import { writeRecording } from './recording.ts'
import { realServerDigest, realServerVersion, startReal } from './servers.ts'
import { TOPICS } from './topics/index.ts'

const wanted = process.argv.slice(2)
const server = await startReal()
const stage = await openStage(server)
try {
  const outcomes = await stage.play(TOPICS.filter(({ name }) => wanted.length === 0 || wanted.includes(name)))
  for (const [name, topic] of outcomes) {
    await writeRecording(name, topic)
    say(`${name}: ${topic.length} commands`)
  }
  const { clientVersion } = JSON.parse(await ok(KUBECTL, ['version', '--client', '-o', 'json']))
  await writeRecording('origin', {
    kubernetes: await realServerVersion(),
    digest: await realServerDigest(),
    kubectl: clientVersion.gitVersion,
  })
} finally {
  await stage.close()
  await server.stop()
}
