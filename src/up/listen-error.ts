/** A port that cannot be had, said so that the user knows which flag helps. */
import { EXIT, UserError } from '../cli/user-error.ts'

export function listenError(error: unknown, ports: { readonly httpsPort: number; readonly httpPort: number }): unknown {
  if (!(error instanceof Error) || !('code' in error)) return error
  const port = 'port' in error ? Number(error.port) : undefined
  const flag = port === ports.httpsPort ? '--https-port' : '--http-port'
  if (error.code === 'EADDRINUSE') {
    return new UserError(`port ${port} is taken by another program`, {
      fix: `stop that program, or choose another port with ${flag} (0 takes any free one)`,
      exitCode: EXIT.unavailable,
      cause: error,
    })
  }
  if (error.code === 'EACCES') {
    return new UserError(`port ${port} may not be used by this user`, {
      fix: `choose a port above 1023 with ${flag}`,
      cause: error,
    })
  }
  if (error.code === 'EADDRNOTAVAIL') {
    return new UserError('the address of --listen does not belong to this machine', {
      exitCode: EXIT.usage,
      cause: error,
    })
  }
  return error
}
