/** Process entry, and the only file that ends the process: signals in, exit code out. */
import { runCli } from './cli/program.ts'
import { processEnv } from './config.ts'

const interrupt = new AbortController()
let signals = 0
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    signals += 1
    // The first signal asks for a clean stop; a third one means that the user has waited long enough.
    if (signals >= 3) process.exit(130)
    interrupt.abort(signal)
  })
}
// `kobe list | head` closes the pipe early: that is the reader's right, not a failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0)
  throw error
})

const exitCode = await runCli({
  argv: process.argv.slice(2),
  env: processEnv(),
  cwd: process.cwd(),
  stdout: process.stdout,
  stderr: process.stderr,
  signal: interrupt.signal,
})
process.exit(exitCode)
