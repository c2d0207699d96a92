/** Runs a topic's commands against a server and notes what they printed. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { createPki } from '../../../src/control-plane/index.ts'
import { eventually, KUBECTL, ok, type RunOptions, start } from '../../support/run.ts'
import { normalise } from './normalise.ts'
import type { Server } from './servers.ts'
import type { Step, Topic } from './step.ts'

/** What a command printed, by lines, normalised. */
export interface Outcome {
  readonly run: string
  readonly code: number
  readonly stdout: readonly string[]
  readonly stderr: readonly string[]
}

export interface Stage {
  /** Of all topics, by name; a few of them at a time, as kubectl waits more than it works. */
  play(topics: readonly Topic[]): Promise<ReadonlyMap<string, readonly Outcome[]>>
  close(): Promise<void>
}

const MANIFESTS = join(import.meta.dirname, 'manifests')
const LANES = 3
const STEP_TIMEOUT_MS = 30_000
/** A watch that only tells what it did at this verbosity says when it has begun. */
const TELLS_REQUESTS = '-v=6'

export async function openStage(server: Server): Promise<Stage> {
  const dir = await mkdtemp(join(tmpdir(), 'kobe-kubectl-'))
  await cp(MANIFESTS, dir, { recursive: true })
  const pki = await createPki({ hosts: ['example.com'] })
  await writeFile(join(dir, 'tls.crt'), pki.servingCert)
  await writeFile(join(dir, 'tls.key'), pki.servingKey)
  return {
    async play(topics) {
      const outcomes = new Map<string, readonly Outcome[]>()
      const waiting = [...topics]
      const lane = async () => {
        for (let topic = waiting.shift(); topic !== undefined; topic = waiting.shift()) {
          outcomes.set(topic.name, await play(server, dir, topic))
        }
      }
      await Promise.all(Array.from({ length: LANES }, lane))
      return outcomes
    },
    close: () => rm(dir, { recursive: true, force: true }),
  }
}

async function play(server: Server, dir: string, topic: Topic): Promise<Outcome[]> {
  const namespace = `k-${topic.name}`
  const options = runOptions(dir, topic.name, namespace)
  await writeFile(join(dir, topic.name), server.kubeconfig)
  await ok(KUBECTL, ['create', 'namespace', namespace], options)
  await ok(KUBECTL, ['config', 'set-context', '--current', `--namespace=${namespace}`], options)
  const outcomes: Outcome[] = []
  for (const step of topic.steps) {
    const { code, stdout, stderr } = await (step.watch === undefined
      ? runStep(step, options)
      : watchStep(step, options))
    const lines = (printed: string) => linesOf(normalise(printed, server.url), step)
    outcomes.push({ run: step.run, code, stdout: lines(stdout), stderr: lines(stderr) })
  }
  return outcomes
}

function runOptions(dir: string, kubeconfig: string, namespace: string): RunOptions {
  const env = {
    PATH: `${dirname(KUBECTL)}:/usr/local/bin:/usr/bin:/bin`,
    HOME: dir,
    KUBECONFIG: join(dir, kubeconfig),
    NS: namespace,
    TZ: 'UTC',
    LC_ALL: 'C',
  }
  return { cwd: dir, env }
}

/** All of a command that takes too long is ended, not only its shell, which would leave its output open. */
async function runStep(step: Step, options: RunOptions) {
  const command = spawn('/bin/sh', ['-c', step.run], {
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    env: { ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  const deadline = setTimeout(() => process.kill(-(command.pid ?? 0), 'SIGKILL'), STEP_TIMEOUT_MS)
  try {
    const [stdout, stderr, [code]] = await Promise.all([
      text(command.stdout),
      text(command.stderr),
      once(command, 'close'),
    ])
    return { code: Number(code ?? -1), stdout, stderr }
  } finally {
    clearTimeout(deadline)
  }
}

/** The exit code of a watch says only that it was ended. */
async function watchStep(step: Step, options: RunOptions) {
  const { change = '', until = '' } = step.watch ?? {}
  const expected = new RegExp(until)
  const watching = start('/bin/sh', ['-c', `exec ${step.run} ${TELLS_REQUESTS}`], options)
  try {
    await eventually(`${step.run} watches`, 10_000, async () =>
      /watch=true.*200 OK|watch=true.*status="200/.test(watching.output()),
    )
    await ok('/bin/sh', ['-c', change], options)
    await eventually(`${step.run} printed ${until}`, 10_000, async () => expected.test(withoutLog(watching.output())))
  } finally {
    watching.child.kill('SIGKILL')
    await watching.exited
  }
  return { code: 0, stdout: withoutLog(watching.output()), stderr: '' }
}

function withoutLog(output: string): string {
  return output.replaceAll(/^[EWI]\d{4} .*\n/gm, '')
}

function linesOf(printed: string, step: Step): string[] {
  const lines = printed.replace(/\n$/, '').split('\n')
  if (lines.length === 1 && lines[0] === '') return []
  return step.unordered ? lines.toSorted() : lines
}
