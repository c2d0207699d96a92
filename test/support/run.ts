/** Runs real programs and waits for conditions; what tests use instead of sleeping. */
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'

export const ROOT = join(import.meta.dirname, '..', '..')
export const NODE = join(ROOT, 'node_modules', 'node', 'bin', 'node')
export const KUBECTL = join(ROOT, '.cache', 'tools', 'kubectl')
export const hasKubectl = existsSync(KUBECTL)

export interface Result {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

export interface RunOptions {
  readonly cwd?: string
  readonly env?: Record<string, string>
  readonly input?: string
  readonly timeoutMs?: number
}

/** Runs to the end; any exit code is an answer. */
export function run(program: string, args: readonly string[], options: RunOptions = {}): Promise<Result> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
      env: { ...process.env, ...options.env },
      stdio: [options.input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
      timeout: options.timeoutMs ?? 60_000,
    })
    let stdout = ''
    let stderr = ''
    child.stdout?.on('data', (chunk) => {
      stdout += chunk
    })
    child.stderr?.on('data', (chunk) => {
      stderr += chunk
    })
    child.on('error', reject)
    child.on('close', (code) => resolve({ code: code ?? -1, stdout, stderr }))
    if (options.input !== undefined) child.stdin?.end(options.input)
  })
}

/** Runs to the end and answers stdout; another exit code than 0 fails the test with what was printed. */
export async function ok(program: string, args: readonly string[], options: RunOptions = {}): Promise<string> {
  const result = await run(program, args, options)
  if (result.code === 0) return result.stdout
  throw new Error(`${program} ${args.join(' ')}: exit code ${result.code}\n${result.stdout}\n${result.stderr}`)
}

export function kubectl(kubeconfig: string, args: readonly string[], options: RunOptions = {}): Promise<string> {
  return ok(KUBECTL, ['--kubeconfig', kubeconfig, ...args], options)
}

/** Polls until `check` answers a value; fails with the last error or `what` after the deadline. */
export async function eventually<T>(
  what: string,
  deadlineMs: number,
  check: () => Promise<T | undefined | false>,
): Promise<T> {
  const deadline = Date.now() + deadlineMs
  let last: unknown
  for (;;) {
    try {
      const value = await check()
      if (value !== undefined && value !== false) return value
      last = undefined
    } catch (error) {
      last = error
    }
    if (Date.now() > deadline) {
      throw new Error(`not within ${deadlineMs} ms: ${what}`, last === undefined ? undefined : { cause: last })
    }
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

export interface Running {
  readonly child: ChildProcess
  readonly pid: number
  /** Everything printed so far, stdout and stderr together. */
  output(): string
  /** Resolves with the exit code. */
  readonly exited: Promise<number>
}

export function start(program: string, args: readonly string[], options: RunOptions = {}): Running {
  const child = spawn(program, args, {
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    env: { ...process.env, ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  const collect = (chunk: Buffer) => {
    output += chunk
  }
  child.stdout?.on('data', collect)
  child.stderr?.on('data', collect)
  const exited = new Promise<number>((resolve) => child.on('close', (code) => resolve(code ?? -1)))
  return { child, pid: child.pid ?? -1, output: () => output, exited }
}
