/** Sends all scenarios to the real server and keeps what it answers. */
import { writeRecording } from './recordings.ts'
import { runScenario } from './run-scenario.ts'
import type { Scenario } from './scenario.ts'
import { realServerDigest, startReal } from './servers.ts'
import { type Endpoint, Transport } from './transport.ts'

export async function record(scenarios: readonly Scenario[], say: (line: string) => void): Promise<void> {
  const real = await startReal()
  try {
    const server = { ...(await identify(real.endpoint)), sha256: await realServerDigest() }
    for (const scenario of scenarios) {
      if (scenario.switchedOff !== undefined) continue
      const transcripts = await runScenario(real.endpoint, scenario)
      await writeRecording(scenario.name, { server, transcripts })
      say(`${scenario.name}: ${transcripts.length} recorded`)
    }
  } finally {
    await real.stop()
  }
}

/**
 * What `/version` says of the build.
 * @throws Error when it is not a kube-apiserver: our own answers must never become the measure of our answers.
 */
export async function identify(
  endpoint: Endpoint,
): Promise<{ gitVersion: string; buildDate: string; platform: string }> {
  const transport = new Transport(endpoint)
  try {
    const { text } = await transport.send({ method: 'GET', path: '/version' })
    const { gitVersion, buildDate, platform, compiler, goVersion } = JSON.parse(text) as Record<string, string>
    const metrics = await transport.send({ method: 'GET', path: '/metrics' })
    const isReal = compiler === 'gc' && goVersion?.startsWith('go1') && metrics.text.includes('etcd_requests_total')
    if (!isReal || gitVersion === undefined) {
      throw new Error(`${endpoint.url} is no kube-apiserver (its /version: ${text}): only the real server is recorded`)
    }
    return { gitVersion, buildDate: buildDate ?? '', platform: platform ?? '' }
  } finally {
    transport.close()
  }
}
