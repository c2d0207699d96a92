/** What a member's process says of itself. */
import { closeSync, writeSync } from 'node:fs'
import { identify, type ProcessIdentity } from './process-identity.ts'
import { sourceStack } from './source-stack.ts'

/** The parent holds the other end of this descriptor, if it still lives. */
export const readyDescriptor = 3

export async function ownIdentity(): Promise<ProcessIdentity> {
  const identity = await identify(process.pid)
  if (identity === undefined) throw new Error(`process ${process.pid} cannot find itself in the process table`)
  return identity
}

/** Tells a living parent at once; everybody else looks at `ready.json`. */
export function announceReady(): void {
  try {
    writeSync(readyDescriptor, 'ready\n')
    closeSync(readyDescriptor)
  } catch (error) {
    // EPIPE: the parent died. EBADF: started by hand.
    if (error instanceof Error && 'code' in error && (error.code === 'EPIPE' || error.code === 'EBADF')) return
    throw error
  }
}

export function logLine(text: string): void {
  process.stderr.write(`${new Date().toISOString()} ${text}\n`)
}

/** With its stack, as places in the sources. */
export function logError(error: unknown, context: string): void {
  const stack = error instanceof Error ? error.stack : undefined
  logLine(`${context}: ${stack === undefined ? error : sourceStack(stack, import.meta.filename)}`)
}
