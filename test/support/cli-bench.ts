/** The command line in this process, in a folder of its own, against a server whose answers a test writes. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type CliIo, runCli } from '../../src/cli/program.ts'
import {
  type ScriptedAnswer,
  type ScriptedRequest,
  type ScriptedServer,
  sendJson,
  startScriptedServer,
} from './scripted-server.ts'

export interface CliResult {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

export interface CliBench extends AsyncDisposable {
  readonly dir: string
  readonly server: ScriptedServer
  /** By method and path, such as `GET /v1/pools`; a test changes them as it goes. */
  readonly answers: Record<string, ScriptedAnswer>
  /** What Ctrl-C does; a test that goes on after one sets another. */
  interrupt: AbortController
  kobe(...argv: string[]): Promise<CliResult>
  kobeWith(io: Partial<CliIo>, ...argv: string[]): Promise<CliResult>
  /** Requests of this method and path so far. */
  sent(line: string): ScriptedRequest[]
  /** Body of the first of them. */
  bodyOf(line: string): Readonly<Record<string, unknown>>
}

const NOTHING = { error: 'No such path', reason: 'route_not_found' }

export async function startCliBench(answers: Record<string, ScriptedAnswer>): Promise<CliBench> {
  const dir = mkdtempSync(join(tmpdir(), 'kobe-cli-'))
  const server = await startScriptedServer((request, response) =>
    (answers[`${request.method} ${request.path}`] ?? json(404, NOTHING))(request, response),
  )
  const sent = (line: string) => server.requests.filter(({ method, path }) => `${method} ${path}` === line)
  const kobeWith = async (io: Partial<CliIo>, ...argv: string[]) => {
    let stdout = ''
    let stderr = ''
    const code = await runCli({
      argv,
      env: { HOME: dir, KOBE_ENDPOINT: server.url, KOBE_TOKEN: 'api-secret' },
      cwd: dir,
      stdout: { write: (text) => (stdout += text) },
      stderr: { write: (text) => (stderr += text) },
      signal: bench.interrupt.signal,
      ...io,
    })
    return { code, stdout, stderr }
  }
  const bench: CliBench = {
    dir,
    server,
    answers,
    interrupt: new AbortController(),
    kobe: (...argv) => kobeWith({}, ...argv),
    kobeWith,
    sent,
    bodyOf: (line) => JSON.parse(sent(line)[0]?.body ?? 'null'),
    async [Symbol.asyncDispose]() {
      await server.close()
      rmSync(dir, { recursive: true, force: true })
    },
  }
  return bench
}

export const json =
  (status: number, body: unknown): ScriptedAnswer =>
  (_, response) =>
    sendJson(response, status, body)

/** Each request is answered by the next of these; the last one stays. */
export function inTurn(...turns: ScriptedAnswer[]): ScriptedAnswer {
  return (request, response) => (turns.length > 1 ? turns.shift() : turns[0])?.(request, response)
}
