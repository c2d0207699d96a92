/** Process entry, and the only file that ends the process: signals in, exit code out. */
import { basename } from 'node:path'
import { ENDING_SIGNALS, type EndingSignal, Interrupt } from './cli/interrupt.ts'
import { type CliIo, runCli } from './cli/program.ts'
import { processEnv } from './config.ts'

const interrupt = new AbortController()
const listeners = new Set<(signal: EndingSignal) => void>()
let signals = 0
for (const signal of ENDING_SIGNALS) {
  process.on(signal, () => {
    signals += 1
    // The first signal asks for a clean stop; a third one means that the user has waited long enough.
    if (signals >= 3) process.exit(130)
    interrupt.abort(new Interrupt(signal))
    for (const listener of listeners) listener(signal)
  })
}
// `kobe list | head` closes the pipe early: that is the reader's right, not a failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0)
  throw error
})
// Nobody reads what is said on the side: that must not end what is done.
process.stderr.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE' && error.code !== 'EIO') throw error
})

/** The names under which kubectl finds its plugins. */
const invokedAs = basename(process.argv[1] ?? '').replace(/\.js$/, '')
const args = process.argv.slice(2)

process.exit(
  await runCli({
    argv: invokedAs === 'kubectl_complete-kobe' ? ['__complete', ...args] : args,
    program: invokedAs === 'kubectl-kobe' ? 'kubectl kobe' : 'kobe',
    env: processEnv(),
    cwd: process.cwd(),
    stdout: process.stdout,
    stderr: process.stderr,
    signal: interrupt.signal,
    onSignal(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    ...terminal(),
  }),
)

/** A person can be asked only where both the question and the answer go through a terminal. */
function terminal(): Pick<CliIo, 'ask'> {
  if (process.stdin.isTTY !== true || process.stderr.isTTY !== true) return {}
  return {
    async ask(question) {
      const { createInterface } = await import('node:readline/promises')
      const reader = createInterface({ input: process.stdin, output: process.stderr })
      try {
        return await reader.question(question, { signal: interrupt.signal })
      } finally {
        reader.close()
      }
    },
  }
}
