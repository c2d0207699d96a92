/** A TCP proxy in front of a server, for tests of what happens when the network fails. */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export interface CuttingProxy extends AsyncDisposable {
  readonly port: number
  /** Ends every connection without a word. */
  cutAll(): void
  /** Open connections go silent for good, as when a machine between loses its state; new ones work. */
  stallAll(): void
  /** While true, every connection is refused. */
  refuse(isDown: boolean): void
  /** While true, new connections are taken and hear nothing, and open ones go silent for good: a machine that hangs. */
  hang(isHung: boolean): void
  close(): Promise<void>
}

export async function startCuttingProxy(targetUrl: string): Promise<CuttingProxy> {
  const target = new URL(targetUrl)
  const pairs = new Set<{ client: Socket; upstream: Socket }>()
  let isDown = false
  let isHung = false
  const server = createServer((client) => {
    if (isDown) {
      client.destroy()
      return
    }
    const upstream = connect(Number(target.port), target.hostname)
    const pair = { client, upstream }
    pairs.add(pair)
    const end = (): void => {
      client.destroy()
      upstream.destroy()
      pairs.delete(pair)
    }
    for (const socket of [client, upstream]) {
      socket.setNoDelay(true)
      socket.on('error', end)
      socket.on('close', end)
    }
    if (isHung) return
    client.pipe(upstream)
    upstream.pipe(client)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const cutAll = (): void => {
    for (const { client } of [...pairs]) client.resetAndDestroy()
  }
  const stallAll = (): void => {
    for (const { client, upstream } of pairs) {
      upstream.unpipe(client)
      client.unpipe(upstream)
      upstream.pause()
    }
  }
  const close = async (): Promise<void> => {
    const closed = once(server, 'close')
    server.close()
    cutAll()
    await closed
  }
  return {
    port: (server.address() as AddressInfo).port,
    cutAll,
    stallAll,
    refuse(next) {
      isDown = next
      if (isDown) cutAll()
    },
    hang(next) {
      isHung = next
      if (isHung) stallAll()
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}
